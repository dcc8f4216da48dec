import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import payment_service

@Suite("Facts of workspace-service", .serialized)
struct CoinsCaptureTests {
    /// A fact of a failed handler or a killed instance is handled again after a minute.
    private static let limit = Duration.seconds(120)

    /// Publishes a fact as workspace-service's outbox does.
    private func publish(_ id: Int, _ type: String, _ body: String, in fixture: PaymentFixture) async throws {
        try await onOwnThread {
            Result {
                let connection = try RawConnection(port: fixture.redis.port)
                let words = ["XADD", "facts:workspace", "*", "id", "\(id)", "type", type, "body", body]
                let command = words.map { "$\($0.utf8.count)\r\n\($0)\r\n" }.joined()
                try connection.send("*\(words.count)\r\n\(command)")
                _ = try connection.receive(until: "\r\n")
            }
        }.get()
    }

    private func body(_ key: String, _ amount: Int, user: Int = 7) -> String {
        #"{"key":"\#(key)","user_id":"\#(user)","amount":\#(amount),"reason":"workspace"}"#
    }

    @Test("A capture fact captures its reserve once, however often it is delivered and to whichever instance")
    func capture() async throws {
        try await PaymentFixture.use(instances: 2) { fixture in
            _ = try await fixture.reserve("w-1", user: 7, amount: 10)
            for id in 1...5 { try await publish(id, "coins.capture", body("w-1", 10), in: fixture) }
            try await publish(6, "workspace.changed", #"{"workspace_id":"1","version":3}"#, in: fixture)
            try await publish(7, "coins.capture", #"{"key":5}"#, in: fixture)
            try await publish(8, "coins.capture", body("w-2", 20), in: fixture)
            try await eventually(within: Self.limit, "the captures") {
                try await fixture.value("select sum(balance) from payment.balance where book = 'revenue'") == "30"
            }
            let captures = try await fixture.value(
                "select count(*) from payment.transaction where kind in ('capture', 'spend')")
            #expect(captures == "2")
            let balance = try await fixture.balance(7)
            #expect(balance == 70)
        }
    }

    @Test("Facts published while the service was down are applied when it is back")
    func catchUp() async throws {
        try await PaymentFixture.use { fixture in
            _ = try await fixture.reserve("w-1", user: 7, amount: 10)
            try await publish(1, "coins.capture", body("w-1", 10), in: fixture)
            try await fixture.replace(0)
            try await publish(2, "coins.capture", body("w-3", 5), in: fixture)
            try await eventually(within: Self.limit, "the captures") { try await fixture.balance(7) == 85 }
        }
    }

    @Test("A capture without enough coins is listed and counted, and does not block the next fact")
    func short() async throws {
        try await PaymentFixture.use { fixture in
            try await publish(1, "coins.capture", body("w-1", 500), in: fixture)
            try await publish(2, "coins.capture", body("w-2", 20), in: fixture)
            try await eventually(within: Self.limit, "the next capture") { try await fixture.balance(7) == 80 }
            try await eventually(within: Self.limit, "the first capture") {
                try await fixture.value("select count(*) from payment.reserve where uncollected_at is not null") == "1"
            }
            let found = try await fixture.reconcile()
            #expect(found == ["capture_uncollected w-1"])
            try await eventually("the metric") {
                let page = try await HTTPCall.get(port: fixture.anyInstance.internalPort, "/metrics").text
                return page.contains(#"maru_payment_differences{kind="capture_uncollected"} 1"#)
                    && page.contains(#"maru_payment_differences{kind="book_balance"} 0"#)
            }
        }
    }
}
