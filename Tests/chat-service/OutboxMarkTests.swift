import EventLoop
import Postgres
import Redis
import ServiceKit
import ServiceSupport
import Synchronization
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Marks of outbox rows", .serialized)
struct OutboxMarkTests {
    private struct Marks: Sendable {
        let store: OutboxStore
        let redis: Redis
        let loop: EventLoop

        /// Marks rows in one turn of the loop.
        func mark(_ rows: ClosedRange<Int64>, _ entry: String, of workspace: @escaping @Sendable (Int64) -> Int64)
            async throws
        {
            try await loop.run {
                try await redis.connected(within: .seconds(20))
                for row in rows {
                    store.markPublished(row, entry, of: WorkspaceID(workspace(row)), appendedBy: redis.state)
                }
            }
        }
    }

    /// A service with a divided outbox. Its relay only runs the check for lost entries.
    private static func use(_ body: (ServiceUnderTest, Marks) async throws -> Void) async throws {
        let parts = Mutex<Marks?>(nil)
        let service = try await ServiceUnderTest("sample", []) { builder in
            let column = "alter table outbox add column workspace bigint not null default 0"
            let database = try await builder.database(
                "sample",
                migrations: Outbox.migrations + [Migration(number: 3, name: "workspace", sql: Array(column.utf8))])
            let redis = try builder.redis()
            let lostEntries = builder.lostEntryCheck(
                of: database, to: redis, streams: OutboxStreams("published"), isDivided: true)
            builder.relayOutbox(checkedBy: lostEntries, grace: .seconds(3600), retention: .day) { _ in [] }
            let loop = builder.loops.loops[0]
            let store = OutboxStore(
                database: database, redis: redis, lostEntries: lostEntries, on: loop, isDivided: true)
            parts.withLock { $0 = Marks(store: store, redis: redis, loop: loop) }
        }
        let server = service.redis
        do {
            try await service.lent { service in
                let created = parts.withLock(\.self)
                let marks = try #require(created)
                // The check for lost entries looks for those that the tests name.
                try await server.command("XADD", "published", "1-0", "row", "1")
                try await server.command("XADD", "published", "2-0", "row", "1")
                try await body(service, marks)
            }
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    private static func untilMarked(_ count: Int64, in service: ServiceUnderTest) async throws {
        try await eventually("\(count) marked rows") {
            try await service.database.run(sql: "select count(*) from sample.outbox where published_at is not null")
                == "\(count)\n"
        }
    }

    @Test("Redis is asked once about the marks of many workspaces")
    func questions() async throws {
        try await Self.use { service, marks in
            try await service.database.run(
                sql: """
                    insert into sample.outbox (workspace, type, body)
                    select n, 'thing', '{}' from generate_series(1, 300) n
                    """)
            try await service.redis.command("CONFIG", "RESETSTAT")
            try await marks.mark(1...300, "1-0") { $0 }
            try await Self.untilMarked(300, in: service)
            try await eventually("a question") { try await service.redis.calls(of: "ping") > 0 }
            #expect(try await service.redis.calls(of: "ping") < 150)
        }
    }

    @Test("A late mark leaves a row that was published again its newer entry")
    func lateMark() async throws {
        try await Self.use { service, marks in
            try await service.database.run(
                sql: """
                    insert into sample.outbox (workspace, type, body, published_at, entry)
                    values (5, 'thing', '{}', (extract(epoch from now()) * 1000)::bigint, '2-0'),
                        (5, 'thing', '{}', null, null)
                    """)
            // One statement for both rows.
            try await marks.mark(1...2, "1-0") { _ in 5 }
            try await Self.untilMarked(2, in: service)
            let entry = try await service.database.run(sql: "select entry from sample.outbox where id = 1")
            #expect(entry == "2-0\n")
        }
    }
}
