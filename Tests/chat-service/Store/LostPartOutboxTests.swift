import Contract
import EventLoop
import Postgres
import Redis
import ServiceSupport
import Synchronization
import TestSupport
import Testing
import Wire

@testable import ServiceKit
@testable import chat_service

@Suite("Outbox while a part of it is out of reach", .serialized)
struct LostPartOutboxTests {
    private static let waiting = """
        insert into sample.outbox (workspace, type, body) select 3 + i % 7, 'thing', '{}' from generate_series(1, 70) i
        """

    @Test("Rows that a crash has left in the other parts are published, and those of the part as soon as it returns")
    func crashed() async throws {
        try await DividedOutbox.use(Self.waiting) { service, part in
            let reachable = try await DividedOutbox.reachable(without: part, in: service)
            try await DividedOutbox.starting(part, of: service) {
                try await eventually(within: .seconds(60), "the rows of the other parts") {
                    try await DividedOutbox.workspaces(in: service.redis) == reachable
                }
                try await eventually(within: .seconds(60), "their marks") {
                    try await service.ask(
                        """
                        select count(*) from sample.outbox
                        where workspace in (\(reachable.sorted().joined(separator: ","))) and published_at is null
                        """) == "0"
                }
            } afterReturn: {
                try await eventually(within: .seconds(60), "all rows") {
                    try await service.ask("select count(*) from sample.outbox where published_at is null") == "0"
                }
                #expect(try await DividedOutbox.workspaces(in: service.redis).count == 7)
            }
        }
    }

    @Test("R6 Entries that Redis has lost are published again: of the other parts at once, of the part when it returns")
    func lostEntries() async throws {
        try await DividedOutbox.use(Self.waiting) { service, part in
            let reachable = try await DividedOutbox.reachable(without: part, in: service)
            let second = try await DividedOutbox.start(with: service, relays: true)
            try await second.lent { _ in
                try await eventually(within: .seconds(60), "all rows") {
                    try await service.ask("select count(*) from sample.outbox where published_at is null") == "0"
                }
                try await DividedOutbox.losing(part, of: service) {
                    for command in [["FLUSHALL"], ["CLIENT", "KILL", "TYPE", "normal"]] {
                        _ = try await service.redis.command(command)
                    }
                    try await eventually(within: .seconds(60), "the rows of the other parts") {
                        try await DividedOutbox.workspaces(in: service.redis) == reachable
                    }
                }
                try await eventually(within: .seconds(60), "the rows of the part") {
                    try await DividedOutbox.workspaces(in: service.redis).count == 7
                }
            }
        }
    }

    @Test("R6 Lost entries of a part are published again when it returns, also after a restart meanwhile")
    func lostBeforeRestart() async throws {
        try await DividedOutbox.use(Self.waiting) { service, part in
            let reachable = try await DividedOutbox.reachable(without: part, in: service)
            let list = reachable.sorted().joined(separator: ",")
            func untilMarked(in workspaces: String) async throws {
                try await eventually(within: .seconds(60), "the marks in \(workspaces)") {
                    try await service.ask(
                        """
                        select count(*) from sample.outbox
                        where workspace in (\(workspaces)) and published_at is null
                        """) == "0"
                }
            }
            try await DividedOutbox.start(with: service, relays: true).lent { _ in
                try await untilMarked(in: "3,4,5,6,7,8,9")
            }
            _ = try await service.redis.command("FLUSHALL")
            var last: ServiceUnderTest?
            do {
                try await DividedOutbox.losing(part, of: service) {
                    try await DividedOutbox.start(with: service, relays: true).lent { _ in
                        try await eventually(within: .seconds(60), "the rows of the other parts") {
                            try await DividedOutbox.workspaces(in: service.redis) == reachable
                        }
                        try await untilMarked(in: list)
                    }
                    last = try await DividedOutbox.start(with: service, relays: true)
                    // It marks a row after its first check.
                    let workspace = try #require(reachable.min())
                    _ = try await service.database.run(
                        sql: "insert into sample.outbox (workspace, type, body) values (\(workspace), 'thing', '{}')")
                    try await untilMarked(in: workspace)
                }
                try await eventually(within: .seconds(60), "the rows of the part") {
                    try await DividedOutbox.workspaces(in: service.redis).count == 7
                }
            } catch {
                await last?.stop()
                throw error
            }
            await last?.stop()
        }
    }

    @Test("R6 Lost entries of a part that goes during the check for them are published again when it returns")
    func lostDuringCheck() async throws {
        let published = """
            insert into sample.outbox (workspace, type, body, published_at, entry)
                select 3 + i % 7, 'thing', '{}', i, '1-0' from generate_series(1, 70) i
            """
        try await DividedOutbox.use(published) { service, part in
            let reachable = try await DividedOutbox.reachable(without: part, in: service)
            let lost = Set((Int64(3)...9).filter { !reachable.contains(String($0)) })
            let made = Mutex<(check: LostEntryCheck, redis: Redis)?>(nil)
            let second = try await DividedOutbox.start(with: service, relays: false) { builder, database, redis in
                let finder = WorkspaceFinder(database: database, limit: .seconds(60))
                let check = builder.lostEntryCheck(
                    of: database, to: redis, streams: OutboxStreams(DividedOutbox.stream), isDivided: true,
                    parts: PassingLoss(finder: finder, lost: lost) { $0 > 1 })
                made.withLock { $0 = (check, redis) }
            }
            let kept = "select distinct workspace from sample.outbox where published_at is not null order by 1"
            try await second.lent { second in
                let created = made.withLock(\.self)
                let (check, redis) = try #require(created)
                try await second.loops.loops[0].run {
                    try await redis.connected(within: .seconds(20).patiently)
                    try await check.repair()
                }
                let left = try await service.ask(kept)
                #expect(left == lost.sorted().map(String.init).joined(separator: "\n"))
                try await second.loops.loops[0].run { try await check.checkUnseen() }
                #expect(try await service.ask(kept) == "")
            }
        }
    }

    /// The rooms of a crashed instance may be unknown to others.
    @Test("A row is published without a look for the workspaces of its rooms, which needs all parts")
    func rooms() async throws {
        let made = Mutex<ProfileCache?>(nil)
        let service = try await ServiceUnderTest("sample", []) { builder in
            let auth = AuthClient(builder.internalClient("http://127.0.0.1:1"))
            made.withLock { $0 = ProfileCache(auth: auth, on: builder.loops) }
        }
        let redis = service.redis
        do {
            try await service.lent { _ in
                let created = made.withLock(\.self)
                let profiles = try #require(created)
                try await WorkspaceFinderTests.use("") { database in
                    try await WorkspaceFinderTests.losing(["room"], in: database) { _ in
                        let commands = try await database.run { pool in
                            try await Self.events(pool.within(.seconds(60).patiently), profiles).commands(
                                publishing: OutboxRow(workspace: 3, id: 1, type: "messages", body: "[[1,3,1]]"))
                        }
                        #expect(commands.count == 1)
                    }
                }
            }
        } catch {
            await redis.stop()
            throw error
        }
        await redis.stop()
    }

    private static func events(_ database: PostgresPool, _ profiles: ProfileCache) -> RoomEvents {
        let (details, names) = (MessageDetailStore(database: database), RoomNames(database: database))
        return RoomEvents(
            messages: MessageStore(database: database), changes: ChangeStore(database: database, details: details),
            details: details, names: names, workspaces: RoomWorkspaces(names: names), profiles: profiles,
            streams: OutboxStreams(DividedOutbox.stream))
    }

    @Test("Old rows of the other parts are deleted")
    func cleaning() async throws {
        let published = """
            insert into sample.outbox (workspace, type, body, published_at, entry)
                select 3 + i % 7, 'thing', '{}', i, '1-0' from generate_series(1, 70) i
            """
        try await DividedOutbox.use(published) { service, part in
            let reachable = try await DividedOutbox.reachable(without: part, in: service)
            // The check for lost entries looks for it.
            try await service.redis.command("XADD", DividedOutbox.stream.name, "1-0", "id", "1")
            let retention = OutboxRetention(acknowledged: .zero, unread: .zero)
            try await DividedOutbox.starting(part, of: service, retention: retention) {
                try await eventually(within: .seconds(60), "the deletion") {
                    try await service.ask(
                        """
                        select count(*) from sample.outbox
                        where workspace in (\(reachable.sorted().joined(separator: ",")))
                        """) == "0"
                }
            }
        }
    }
}
