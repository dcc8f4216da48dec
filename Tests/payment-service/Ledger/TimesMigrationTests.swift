import Postgres
import ServiceSupport
import TestSupport
import Testing

@testable import payment_service

@Suite("Times as milliseconds in the payment schema")
struct TimesMigrationTests {
    /// Rows of the schema before times were milliseconds, at 2023-11-14 22:13:20.123 and .124 UTC.
    private static let rows = """
        insert into payment.account values (1, '2023-11-14 22:13:20.123+00');
        insert into payment.reserve (key, user_id, amount, reason, state, balance, expires_at, uncollected_at, created_at)
        values ('k', 1, 10, '', 'captured', 90, '2023-11-15 07:13:20.124+09', null, '2023-11-14 22:13:20.123+00');
        insert into payment.payment (provider, reference, order_number, item, amount, cancelled_amount, currency, status,
            paid_at, owner, coins, credited_at)
        values ('p', 'r', 'o', 'i', 100, 0, 'KRW', 'paid', '2023-11-14 22:13:20.123+00', 1, 10, '2023-11-14 22:13:20.124+00');
        """

    @Test("A populated schema keeps its times, its triggers and its defaults")
    func populated() async throws {
        let database = try await PostgresCluster.ofThisProcess().makeDatabase()
        try await Pools.use(database, schema: "payment") { pool in
            let before = Migrations.all.filter { $0.number < 6 }
            #expect(try await pool.migrate("payment", before) == 5)
            _ = try await database.run(sql: Self.rows)
            #expect(try await pool.migrate("payment", Migrations.all) == Migrations.all.count - before.count)
        }
        let times = try await database.run(
            sql: """
                select opened_at, expires_at, coalesce(uncollected_at, 0), paid_at, credited_at
                from payment.account, payment.reserve, payment.payment
                """)
        #expect(times == "1700000000123|1700000000124|0|1700000000123|1700000000124\n")
        let fresh = try await database.run(
            sql: """
                insert into payment.account (user_id) values (2);
                select abs(opened_at - extract(epoch from now()) * 1000) < 60000 from payment.account where user_id = 2
                """)
        #expect(fresh.hasSuffix("t\n"))
        await #expect(throws: (any Error).self) {
            try await database.run(sql: "update payment.account set opened_at = 0")
        }
        let others = try await database.run(
            sql: """
                select count(*) from information_schema.columns
                where table_schema = 'payment' and data_type like 'timestamp%'
                """)
        #expect(others == "0\n")
    }
}
