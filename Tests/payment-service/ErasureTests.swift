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
        ])

    @Test("D4: every table has an answer to the deletion of an account, and the ledger keeps its sums")
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
            let body = #"{"user_id":"7","round":1,"messages":false}"#
            try await fixture.redis.command(
                "XADD", "facts:auth", "*", "id", "1", "type", "user.deleted", "body", body)
            try await eventually(within: .seconds(30), "the erasure") {
                try await Self.answers.tables(with: "7", in: fixture.database).isEmpty
            }
            #expect(try await fixture.balance(7) == balance)
        }
    }
}
