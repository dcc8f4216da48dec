import Contract
import EventLoop
import Postgres
import ServiceKit
import ServiceSupport
import Synchronization
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("A flood of reactions", .serialized)
struct ReactionFloodTests {
    private static let room = RoomID(ChannelID(7))

    /// The queue of changes of a service, without its routes: the calls of a thousand users would take longer than a
    /// statement may wait for the lock of the room.
    private struct Changes: Sendable {
        let committer: ChangeCommitter
        let loop: EventLoop

        static func assemble(_ service: ServiceBuilder) async throws -> Changes {
            let database = try await service.database("chat", migrations: Migrations.all)
            let loop = service.loops.loops[0]
            let auth = AuthClient(service.internalClient(service.peers.auth))
            let redis = try service.redis()
            let lostEntries = service.lostEntryCheck(of: database, to: redis, streams: .pushes(in: redis))
            // It only runs the check: the other service publishes the rows that are left.
            service.relayOutbox(checkedBy: lostEntries, grace: .seconds(3600), retention: .day) { _ in [] }
            let publisher = ChangePublisher(
                redis: redis,
                outbox: OutboxStore(
                    database: database, redis: redis, lostEntries: lostEntries, on: loop, isDivided: false),
                profiles: ProfileCache(auth: auth, on: service.loops), on: loop)
            let indexer = SearchIndexer(
                store: SearchIndexStore(database: database), partitions: SearchPartitions(database: database),
                metrics: SearchMetrics(service.metrics), log: service.log, share: 0.1)
            let committer = ChangeCommitter(
                on: loop, writer: ChangeWriter(database: database, limits: ChangeLimits()), publisher: publisher,
                indexer: indexer, webhooks: WebhookWatch(), heads: nil)
            return Changes(committer: committer, loop: loop)
        }

        /// Queues all changes in one turn of the loop, and returns their outcomes after the commits.
        func apply(_ changes: [PendingChange]) async throws -> [Task<ChangeOutcome, any Error>] {
            try await loop.run { [committer, loop] in
                changes.map { change in
                    Task.immediate(executorPreference: loop) { try await committer.apply(change) }
                }
            }
        }
    }

    /// Runs `body` with the changes of a service that shares the database and Redis of `chat`.
    private static func use(_ chat: ChatHarness, _ body: (Changes) async throws -> Void) async throws {
        let parts = Mutex<Changes?>(nil)
        let service = try await ServiceUnderTest(
            "chat-service", ChatSettings.entries,
            ["auth_url": chat.peers.url, "workspace_url": chat.peers.url, "database_connections": "4"],
            database: chat.database.database, redis: chat.redis
        ) { service in
            let changes = try await Changes.assemble(service)
            parts.withLock { $0 = changes }
        }
        try await service.lent { _ in try await body(try #require(parts.withLock(\.self))) }
    }

    @Test("A thousand people reacting to one announcement are a few commits and a few events")
    func flood() async throws {
        try await ChatHarness.use { chat in
            _ = try await chat.send("announcement")
            try await chat.untilPublished()
            let listener = try RoomEventListener(chat.redis)
            let thumb = try #require(Emoji("👍"))
            let target = MessageTarget(room: Self.room, workspace: WorkspaceID(3), name: "general")
            var events: [JSONValue] = []
            try await Self.use(chat) { changes in
                // A commit holds the room while all of them react.
                let waiting = try await chat.database.run { pool in
                    try await pool.transaction { tx in
                        var batch = PostgresBatch()
                        try batch.lock([Self.room])
                        _ = try await tx.run(batch)
                        return try await changes.apply(
                            (1...1000).map {
                                PendingChange(target: target, seq: 1, user: UserID($0), kind: .react(thumb))
                            })
                    }
                }
                for change in waiting {
                    guard case .done = try await change.value else {
                        Issue.record("a reaction was refused")
                        return
                    }
                }
                // Before the end of the service, which may come before its last event.
                let last = max(1, Int(try await chat.database.ask("select rev from chat.room")) ?? 0)
                events = try await listener.events { seen in
                    Set(seen.flatMap { $0["revs"]?.elements?.compactMap(\.int) ?? [] }) == Set(1...last)
                }
            }
            let commits = try await chat.database.ask("select count(distinct xmin::text), count(*) from chat.reaction")
            let rev = Int(try await chat.database.ask("select rev from chat.room")) ?? 0
            // Two batches may have begun before the others arrived; 256 changes fit into each of the others.
            #expect((4...8).contains(rev))
            #expect(commits == "\(rev)|1000")
            let rows = try await chat.database.ask("select count(*) from chat.outbox where type = 'changes'")
            #expect(rows == "\(rev)")
            // A row that is not marked within seconds is published again by the other service, perhaps with more reactions.
            #expect(events.map(\.text).withoutRepeats.count <= 2 * rev)
            let newest = events.first { $0["rev"]?.int == rev }
            #expect(newest?["reactions"]?[0]?["count"]?.int == 1000)
        }
    }
}
