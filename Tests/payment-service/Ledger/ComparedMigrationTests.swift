import Postgres
import ServiceSupport
import TestSupport
import Testing

@testable import payment_service

@Suite("The migration of the times of comparisons")
struct ComparedMigrationTests {
    private static let rows = """
        insert into payment.payment
            (provider, reference, order_number, item, amount, cancelled_amount, currency, status, checked_at)
        select 'portone-v1', 'imp_' || number, 'ios_sooda_9', '10 Coin', 100, 0, 'KRW', 'open', 1000 + number
        from generate_series(1, 2) as number;
        insert into payment.attempt (reference, next_try_at, ended_at, outcome) values ('imp_1', 1, 2, 'abandoned')
        """

    @Test("A payment of an abandoned attempt counts as compared when it was last checked")
    func populated() async throws {
        let database = try await PostgresCluster.ofThisProcess().makeDatabase()
        try await Pools.use(database, schema: "payment") { pool in
            _ = try await pool.migrate("payment", Migrations.all.filter { $0.number < 10 })
            _ = try await database.run(sql: Self.rows)
            _ = try await pool.migrate("payment", Migrations.all)
        }
        let times = try await database.run(
            sql: "select reference, coalesce(compared_at, 0) from payment.payment order by reference")
        #expect(times == "imp_1|1001\nimp_2|0\n")
    }
}
