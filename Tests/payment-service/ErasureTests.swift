import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import payment_service

@Suite("Erasure of deleted accounts", .serialized)
struct ErasureTests {
    private static let answers = ErasureAnswers(
        "payment",
        [
            "purchase_order": .erased("user_id = $user"), "attempt": .erased("user_id = $user"),
            "account": .kept("the ledger names a number"), "transaction": .kept("as `account`"),
            "entry": .kept("as `account`"), "reserve": .kept("as `account`"),
            "payment": .kept("the law asks for payments; they name a number"),
            "webhook": .kept("names no user"), "difference": .kept("names no user"), "schedule": .kept("no user"),
            "outbox": .kept("facts name a number, and go after a day"), "schema_migrations": .kept("names no user"),
        ],
        exports: [
            "purchase_order": .section("orders"), "attempt": .section("claims"), "account": .section("account"),
            "transaction": .elsewhere("the ledger's entries name their transactions"), "entry": .section("ledger"),
            "reserve": .section("reserves"), "payment": .section("payments"), "webhook": .withheld("names no user"),
            "difference": .withheld("names no user"), "schedule": .withheld("no user"),
            "outbox": .elsewhere("facts of balances"), "schema_migrations": .withheld("names no user"),
        ])

    @Test(
        "D4: every table has an answer to deletion and export; the export has the planted rows, the ledger keeps its sums"
    )
    func everyTable() async throws {
        try await PaymentFixture.use { fixture in
            #expect(try await Self.answers.unanswered(in: fixture.database) == [])
            let balance = try await fixture.balance(7)
            _ = try await fixture.database.run(
                sql: """
                    insert into payment.purchase_order (number, user_id, item) values ('n', 7, '10 Coin');
                    insert into payment.attempt (reference, user_id, order_number, next_try_at, ended_at, outcome)
                    values ('r', 7, 'n', 1, 1, 'credited')
                    """)
            #expect(try await Self.answers.tables(with: "7", in: fixture.database) == Self.answers.erasing)
            _ = try await fixture.database.run(
                sql: """
                    insert into payment.payment
                        (provider, reference, order_number, item, amount, cancelled_amount, currency, status, owner, coins,
                        credited_at)
                    values ('v2', 'r', 'n', '10 Coin', 100, 0, 'KRW', 'paid', 7, 10, 1),
                        ('v2', 's', 'm', '10 Coin', 100, 0, 'KRW', 'paid', null, null, null);
                    insert into payment.reserve (key, user_id, amount, reason, state, balance, expires_at)
                    values ('k', 7, 1, 'a workspace', 'released', 9, 1)
                    """)
            let export = try await ExportedRecords(of: "7") { try await fixture.ask("GET", $0).json }
            #expect(Self.answers.sections(missingIn: export.sections.keys) == [])
            #expect(export.texts("payments", "payment") == ["r"] && export.texts("orders", "number") == ["n"])
            let body = #"{"user_id":"7","round":1,"messages":false}"#
            try await fixture.redis.command(
                "XADD", "facts:auth", "*", "id", "1", "type", "user.deleted", "body", body)
            // A fact that could not be handled is handled again after a minute.
            try await eventually(within: .seconds(120), "the erasure") {
                try await Self.answers.tables(with: "7", in: fixture.database).isEmpty
            }
            #expect(try await fixture.balance(7) == balance)
        }
    }
}
