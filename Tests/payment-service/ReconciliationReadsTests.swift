import Postgres
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import payment_service

@Suite("Reads of the reconciliation")
struct ReconciliationReadsTests {
    /// Payments that are too old to be compared, and 200 that are not.
    private static let payments = """
        insert into payment.payment
            (provider, reference, order_number, item, amount, cancelled_amount, currency, status, seen_at, checked_at)
        select 'portone-v1', 'imp_' || number, 'ios_sooda_9', '10 Coin', 100, 0, 'KRW', 'open',
            case when number > 20000 then 2000000 else 1 end, case when number > 20000 then 2000000 else 1 end + number
        from generate_series(1, 20200) as number;
        analyze payment.payment
        """
    private static let reads = """
        select coalesce(sum(idx_tup_read), 0) + (
            select seq_tup_read from pg_stat_user_tables where schemaname = 'payment' and relname = 'payment')
        from pg_stat_user_indexes where schemaname = 'payment' and relname = 'payment'
        """
    private static let otherSessions = """
        select count(*) from pg_stat_activity
        where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
        """

    private func number(_ sql: String, in database: TestDatabase) async throws -> Int? {
        Int(try await database.run(sql: sql).prefix { $0 != "\n" })
    }

    @Test("A page of payments to compare costs no look at payments of years before, or at the pages before")
    func pages() async throws {
        let database = try await LedgerDatabase.make()
        try await database.run(sql: Self.payments)
        let before = try #require(try await number(Self.reads, in: database))
        try await Pools.use(database, schema: "payment") { pool in
            let store = PaymentStore(database: pool)
            let horizon = Timestamp(milliseconds: 1_000_000)
            func page(after floor: Timestamp?) async throws -> [PaymentStore.Unchecked] {
                try await store.unchecked(
                    since: Timestamp(milliseconds: 3_000_000), notOlderThan: horizon, after: floor, except: [],
                    notOf: [], limit: 100)
            }
            let first = try await page(after: nil)
            #expect(first.map { $0.record.report.reference } == (20_001...20_100).map { "imp_\($0)" })
            // The last one is there again, because nothing has marked it as checked.
            let second = try await page(after: first.last?.checkedAt)
            #expect(second.map { $0.record.report.reference } == (20_100...20_199).map { "imp_\($0)" })
        }
        // Connections write their statistics when they end.
        try await eventually("the end of the connections") {
            try await number(Self.otherSessions, in: database) == 0
        }
        let after = try #require(try await number(Self.reads, in: database))
        #expect(after - before < 1000)
    }
}
