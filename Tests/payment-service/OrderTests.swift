import ServiceSupport
import TestSupport
import Testing

@testable import payment_service

@Suite("Orders at the same moment", .serialized)
struct OrderTests {
    @Test("Orders that a user makes at the same moment do not exceed the limit")
    func ordersAtOnce() async throws {
        try await PaymentFixture.use(["orders_per_day": "1", "database_connections": "4"]) { fixture in
            // One instance lets the orders of a user wait for each other before it asks the database.
            let instances = [fixture.anyInstance, try await fixture.start()]
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
                    for instance in instances {
                        group.addTask { try await Self.order(of: 7, on: instance, fixture).errorCode }
                    }
                    return try await group.reduce(into: [String]()) { $0.append($1) }
                }
            }
            #expect(codes.sorted() == ["", "E98"])
        }
    }

    @Test("Orders of one user at once leave connections of the database to other users")
    func connectionsLeft() async throws {
        try await PaymentFixture.use(["loops": "1", "database_connections": "5"]) { fixture in
            let lock = "select pg_advisory_xact_lock(hashtextextended('orders 7', 0))"
            try await fixture.database.holding(lock, untilWaiting: 6) {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 1...10 {
                        group.addTask { _ = try await Self.order(of: 7, on: fixture.anyInstance, fixture) }
                    }
                    try await fixture.database.untilBlocked()
                    // The first look at a balance opens an account, in a transaction.
                    for user in Int64(100)...119 { #expect(try await fixture.balance(user) == 100) }
                    // The sessions that wait end the hold.
                    for _ in 1...6 { group.addTask { _ = try await fixture.database.run(sql: lock) } }
                    try await group.waitForAll()
                }
            }
        }
    }

    private static func order(
        of user: Int64, on instance: BuiltService, _ fixture: PaymentFixture
    ) async throws -> HTTPCall.Reply {
        try await HTTPCall(
            "POST", port: instance.publicPort, "/v1/store/orders",
            headers: [
                ("Content-Type", "application/json"), ("SesacKey", "sooda"),
                ("Authorization", fixture.provider.tokens.token(user: user, key: "sooda")),
            ],
            body: Array(#"{"item":"10 Coin"}"#.utf8)
        ).reply()
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
