import Postgres
import ServiceSupport
import TestSupport
import Testing

@testable import payment_service

@Suite("The ledger's schema guards against every client")
struct LedgerSchemaTests {
    /// SQL that inserts a transaction of a user with the given entries.
    static func transaction(_ entries: String, kind: String = "spend", subject: String = "x", user: Int = 1) -> String {
        """
        with made as (
            insert into payment.transaction (user_id, kind, subject, made_in)
            values (\(user), '\(kind)', '\(subject)', '1') returning id
        )
        insert into payment.entry (transaction_id, user_id, book, amount)
        select id, \(user), book, amount from made, (values \(entries)) as leg (book, amount)
        """
    }

    static let attacks: [(sql: String, constraint: String)] = [
        (transaction("('wallet', 5), ('grants', -4)"), "transactions_sum_to_zero"),
        (transaction("('wallet', 5)"), "transactions_sum_to_zero"),
        (transaction("('wallet', -101), ('revenue', 101)"), "no_balance_below_zero"),
        (transaction("('reserved', -1), ('wallet', 1)"), "no_balance_below_zero"),
        (transaction("('purchases', 1), ('wallet', -1)"), "no_balance_below_zero"),
        (transaction("('wallet', 100), ('grants', -100)", kind: "grant", subject: "1"), "once_a_subject"),
        (
            "insert into payment.entry (transaction_id, user_id, book, amount) values (1, 1, 'losses', -1), (1, 1, 'revenue', 1)",
            "made_with_its_transaction"
        ),
        ("insert into payment.entry values (1, 'losses', 1, 1, -5, 900)", "made_with_its_transaction"),
        ("update payment.entry set amount = 1000 where book = 'wallet'", "append_only"),
        ("update payment.entry set balance = 1000 where book = 'wallet'", "append_only"),
        ("delete from payment.entry", "append_only"),
        ("truncate payment.entry", "append_only"),
        ("truncate payment.account cascade", "append_only"),
        ("update payment.transaction set kind = 'refund'", "append_only"),
        ("delete from payment.transaction", "append_only"),
        ("delete from payment.account", "append_only"),
        ("update payment.reserve set amount = 1", "reserve_goes_forward"),
        ("update payment.reserve set state = 'reserved'", "reserve_goes_forward"),
        ("delete from payment.reserve", "append_only"),
        ("update payment.payment set owner = 2", "payment_goes_forward"),
        ("update payment.payment set owner = null, coins = null, credited_at = null", "payment_goes_forward"),
        ("update payment.payment set refunded = 11", "refunded_of_credited"),
        ("delete from payment.payment", "append_only"),
    ]

    @Test("Even the superuser cannot make or lose coins or change written entries")
    func attacks() async throws {
        let database = try await LedgerDatabase.make()
        try await database.run(sql: Self.transaction("('wallet', 100), ('grants', -100)", kind: "grant", subject: "1"))
        try await database.run(
            sql: """
                insert into payment.reserve (key, user_id, amount, reason, state, balance, expires_at)
                values ('k', 1, 10, '', 'captured', 90, 1700000000000);
                insert into payment.payment (provider, reference, order_number, item, amount, cancelled_amount, currency,
                    status, owner, coins, credited_at) values ('p', 'r', 'o', 'i', 100, 0, 'KRW', 'paid', 1, 10, 1700000000000)
                """)
        let before = try await database.run(sql: "table payment.entry; table payment.reserve; table payment.payment")
        try await Pools.use(database) { pool in
            for attack in Self.attacks {
                for role in ["origin", "replica"] {
                    let error = await pool.failure(of: attack.sql, as: role)
                    #expect(error?.constraint == attack.constraint, "\(attack.sql) as \(role): \(error as Any)")
                }
            }
        }
        let after = try await database.run(sql: "table payment.entry; table payment.reserve; table payment.payment")
        #expect(before == after)
    }

    @Test("The version, balance and database transaction that a client gives for an entry are ignored")
    func forgery() async throws {
        let database = try await LedgerDatabase.make()
        try await database.run(
            sql: """
                with made as (
                    insert into payment.transaction (user_id, kind, subject, made_in) values (1, 'grant', '1', '1')
                    returning id
                )
                insert into payment.entry select id, book, 1, 77, amount, 5000 from made,
                    (values ('wallet', 10), ('grants', -10)) as leg (book, amount)
                """)
        let entries = try await database.run(sql: "select book, version, amount, balance from payment.entry order by 1")
        #expect(entries == "grants|1|-10|10\nwallet|1|10|10\n")
    }

    @Test("64 clients that write random entries at once leave consistent balances")
    func property() async throws {
        let database = try await LedgerDatabase.make()
        try await Pools.use(database, schema: "payment", connections: 32) { pool in
            let outcomes = try await withThrowingTaskGroup(of: (Int, Int).self) { group in
                for client in 0..<64 {
                    group.addTask { try await Self.writeRandomly(client, in: pool) }
                }
                return try await group.reduce((0, 0)) { ($0.0 + $1.0, $0.1 + $1.1) }
            }
            // The test means nothing unless many writes were accepted and many refused.
            #expect(outcomes.0 > 100)
            #expect(outcomes.1 > 100)
            let audit = AuditStore(database: pool)
            #expect(try await audit.transactionSums().isEmpty)
            #expect(try await audit.balances().filter { $0.kind == .accountBalance }.isEmpty)
        }
        let sums = try await database.run(
            sql: "select sum(amount), min(balance) >= 0, count(distinct transaction_id) > 100 from payment.entry")
        #expect(sums == "0|t|t\n")
    }

    /// Writes random transactions in random order for random users: some balanced, some not, some overdrawing.
    ///
    /// - Returns: the numbers of accepted and refused transactions.
    private static func writeRandomly(_ client: Int, in pool: PostgresPool) async throws -> (Int, Int) {
        var random = SeededGenerator(seed: UInt64(client))
        var (accepted, refused) = (0, 0)
        for turn in 0..<25 {
            let accounts = LedgerAccountKind.allCases.shuffled(using: &random).prefix(
                Int.random(in: 2...3, using: &random))
            var amounts = accounts.map { _ in Int.random(in: -60...60, using: &random) }
            if Int.random(in: 0..<4, using: &random) > 0 { amounts[0] = -amounts.dropFirst().reduce(0, +) }
            let entries = zip(accounts, amounts).map { "('\($0.rawValue)', \($1))" }.joined(separator: ", ")
            let sql = transaction(
                entries, subject: "\(client)-\(turn)", user: Int.random(in: 1...3, using: &random))
            if let error = await pool.failure(of: sql) {
                #expect(error.sqlState.hasPrefix("23"), "\(error)")
                refused += 1
            } else {
                accepted += 1
            }
        }
        return (accepted, refused)
    }
}
