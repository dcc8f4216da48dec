import TestSupport

extension PaymentFixture {
    /// Orders a capture by a fact, as workspace-service does, and waits until the ledger has decided.
    ///
    /// It publishes the fact again every second: an instance that was killed holds its unfinished facts for a minute.
    ///
    /// - Returns: whether the coins are captured; false if they were too few.
    func capture(
        _ key: String, user: Int64, amount: Int, within limit: Duration = .seconds(40)
    ) async throws -> Bool {
        let deadline = ContinuousClock.now + limit.patiently
        while ContinuousClock.now < deadline {
            try await publishCapture(key, user: user, amount: amount)
            let again = ContinuousClock.now + .seconds(1)
            while ContinuousClock.now < again {
                switch try await value(
                    "select state, uncollected_at is not null from payment.reserve where key = '\(key)'")
                {
                case "captured|f": return true
                case "expired|t": return false
                default: try await pause(for: .milliseconds(50))
                }
            }
        }
        throw NeverHappened(description: "the capture of \(key)")
    }

    /// Publishes the fact that orders a capture.
    func publishCapture(_ key: String, user: Int64, amount: Int) async throws {
        let body = #"{"key":"\#(key)","user_id":"\#(user)","amount":\#(amount),"reason":"test"}"#
        try await redis.command(
            "XADD", "facts:workspace", "*", "id", "\(UInt32.random(in: 1 ... .max))", "type", "coins.capture", "body",
            body)
    }
}
