import ServiceSupport
import TestSupport
import Testing

@testable import payment_service

@Suite("Orders at the same moment", .serialized)
struct OrderTests {
    @Test("Orders that a user makes at the same moment do not exceed the limit")
    func ordersAtOnce() async throws {
        try await PaymentFixture.use(["orders_per_day": "1", "database_connections": "4"]) { fixture in
            // Holds each order between its count and its insert.
            try await fixture.database.run(
                sql: """
                    create function payment.hold_order() returns trigger language plpgsql as
                        $$ begin perform pg_advisory_xact_lock_shared(78); return new; end $$;
                    create trigger planted before insert on payment.purchase_order
                        for each row execute function payment.hold_order()
                    """)
            let codes = try await fixture.database.holding("select pg_advisory_xact_lock(78)", untilWaiting: 2) {
                try await withThrowingTaskGroup(of: String.self) { group in
                    for _ in 1...2 {
                        group.addTask {
                            try await fixture.call("POST", "/v1/store/orders", json: #"{"item":"10 Coin"}"#).errorCode
                        }
                    }
                    return try await group.reduce(into: [String]()) { $0.append($1) }
                }
            }
            #expect(codes.sorted() == ["", "E98"])
        }
    }

    @Test("Validations that are under way count towards the limit of unknown payments")
    func guessesAtOnce() async throws {
        try await PaymentFixture.use(["unknown_payments_per_hour": "2", "provider_deadline": "30s"]) { fixture in
            let order = "ios_sooda_1700000000"
            fixture.provider.gather(3)
            async let first = fixture.validate("imp_1", order)
            async let second = fixture.validate("imp_2", order)
            try await eventually("two lookups") {
                try await fixture.value("select count(*) from payment.attempt where ended_at is null") == "2"
            }
            let third = try await fixture.validate("imp_3", order)
            // The lookup of another user ends the wait of the first two.
            let other = try await fixture.validate("imp_4", order, user: 8)
            let (one, two) = try await (first, second)
            #expect([one, two, third, other].map(\.errorCode) == ["E81", "E81", "E98", "E81"])
        }
    }
}
