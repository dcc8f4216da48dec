import ServiceSupport
import TestSupport

extension PaymentFixture {
    /// Waits for the first scheduled run, which would list differences that the test plants.
    func firstReconciliation() async throws {
        try await eventually("the first run") {
            try await self.value("select finished_at is not null from payment.schedule") == "t"
        }
    }

    /// Refunds a payment as an operator.
    func refund(_ payment: Int) async throws -> HTTPCall.Reply {
        try await HTTPCall(
            "DELETE", port: anyInstance.internalPort, "/operator/purchases/\(payment)",
            headers: [("Authorization", "Bearer " + ServiceUnderTest.operatorCredential), ("X-Operator", "anna")]
        ).reply()
    }

    /// Stores payments of PortOne V1 that nobody has claimed. A run compares them first, in the order of their numbers.
    func plantOpenPayments(_ count: Int) async throws {
        try await database.run(
            sql: """
                insert into payment.payment
                    (provider, reference, order_number, item, amount, cancelled_amount, currency, status, checked_at)
                select 'portone-v1', 'imp_open_' || number, 'ios_sooda_9', '10 Coin', 100, 0, 'KRW', 'open',
                    (extract(epoch from now()) * 1000)::bigint - 86400000 + number
                from generate_series(1, \(count)) as number
                """)
    }
}
