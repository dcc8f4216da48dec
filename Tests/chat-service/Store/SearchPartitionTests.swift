import Postgres
import TestSupport
import Testing
import Wire

@testable import chat_service

/// On Citus, partitions are made in place.
@Suite("Partitions of the search index", .enabled(if: ChatEngine.ofTests == .postgres))
struct SearchPartitionTests {
    private static let moment = Timestamp(milliseconds: 4_000_000_000_000)

    /// Makes the partition of the moment, and repeats that as the indexer does if the short wait for the lock has ended.
    private static func make(_ pool: PostgresPool) async throws {
        for _ in 0..<100 {
            do {
                try await SearchPartitions(database: pool).make(for: moment)
                return
            } catch let error as PostgresError where error.isLockTimeout {}
        }
        throw NeverHappened(description: "a partition")
    }

    /// Expects one partition of the moment, with one mark.
    private static func expectOne(in database: ChatDatabase) async throws {
        let period = SearchPartitions.period(of: moment)
        let rows = try await database.ask(
            """
            select (select count(*) from chat.search_message where workspace = 0 and created_at = \(start)),
                (select count(*) from chat.search_partition where period = \(period)),
                (select relispartition from pg_class where oid = 'chat.search_message_\(period)'::regclass)
            """)
        #expect(rows == "1|1|t")
    }

    private static var start: Int64 { SearchPartitions.period(of: moment) * SearchPartitions.length }

    @Test("An instance makes a partition while one of the release before makes it in place")
    func twoReleases() async throws {
        try await ChatDatabase.use { database in
            let inPlace = """
                create table if not exists chat.search_message_\(SearchPartitions.period(of: Self.moment))
                    partition of chat.search_message
                    for values from (\(Self.start)) to (\(Self.start + SearchPartitions.length));
                insert into chat.search_message (created_at, workspace, room, seq, kind, grams)
                values (\(Self.start), 0, 0, 0, 0, '{}')
                """
            try await database.database.holding(inPlace) {
                try await database.run { pool in try await Self.make(pool) }
            }
            try await Self.expectOne(in: database)
        }
    }

    @Test("Two instances make a partition at once")
    func twoInstances() async throws {
        try await ChatDatabase.use(pools: 2) { database in
            let lock = "lock table only chat.search_message in share update exclusive mode"
            try await database.database.holding(lock, untilWaiting: 2) {
                async let first: Void = database.run(0) { pool in try await Self.make(pool) }
                async let second: Void = database.run(1) { pool in try await Self.make(pool) }
                _ = try await (first, second)
            }
            try await Self.expectOne(in: database)
        }
    }
}
