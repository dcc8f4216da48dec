import EventLoop
import Redis
import ServiceKit
import ServiceSupport
import Synchronization
import TestSupport
import Testing

@Suite("Entries of an outbox that Redis has lost", .serialized)
struct LostEntryTests {
    private static let stream: RedisKey = "published"

    private struct Row2 {
        var hasBegun = false
        var mayEnd = false
    }

    @Test("R6 A row that was made while Redis came back empty does not hide the entries that Redis has lost")
    func slowRow() async throws {
        let row2 = Mutex(Row2())
        let service = try await ServiceUnderTest("sample", []) { builder in
            let database = try await builder.database("sample", migrations: Outbox.migrations)
            try builder.relayOutbox(
                of: database, to: builder.redis(), streams: OutboxStreams(Self.stream), grace: .zero, retention: .day
            ) { row in
                if row.id == 2 {
                    row2.withLock { $0.hasBegun = true }
                    try await eventually("the return of Redis") { row2.withLock(\.mayEnd) }
                }
                return [.append(["id": String(row.id)], toStream: Self.stream)]
            }
        }
        let redis = service.redis
        do {
            try await service.lent { service in
                try await service.write(1)
                try await service.untilPublished("1")
                let connections = try await Self.connections(to: redis)
                try await service.write(1)
                try await eventually("the second row") { row2.withLock(\.hasBegun) }
                await redis.kill()
                try await redis.start()
                try await eventually("all connections again") {
                    try await Self.connections(to: redis) >= connections
                }
                row2.withLock { $0.mayEnd = true }
                try await eventually("both rows") { try await Self.rows(in: redis).isSuperset(of: ["1", "2"]) }
            }
        } catch {
            await redis.stop()
            throw error
        }
        await redis.stop()
    }

    @Test("R6 A row that is marked after another instance has looked for lost entries is published again")
    func lateMark() async throws {
        let redis = try await RedisServer.start()
        @Sendable func assemble(_ builder: ServiceBuilder) async throws {
            let database = try await builder.database("sample", migrations: Outbox.migrations)
            try builder.relayOutbox(
                of: database, to: builder.redis(), streams: OutboxStreams(Self.stream), grace: .zero, retention: .day
            ) { row in [.append(["id": String(row.id)], toStream: Self.stream)] }
        }
        let first = try await ServiceUnderTest("sample", [], redis: redis, assemble: assemble)
        let second = try await ServiceUnderTest(
            "sample", [], database: first.database, redis: redis, assemble: assemble)
        do {
            try await first.write(1)
            try await first.untilPublished("1")
            _ = try await first.database.run(sql: Self.gate)
            try await first.write(1)
            try await eventually("the second entry") { try await Self.rows(in: redis).contains("2") }
            await redis.kill()
            try await redis.start()
            // The other instance finds the loss while the mark of the second row is under way.
            try await eventually("the first entry again") { try await Self.rows(in: redis).contains("1") }
            _ = try await first.database.run(sql: "insert into sample.gate values (true)")
            try await eventually("the second entry again") { try await Self.rows(in: redis).contains("2") }
            try await first.untilPublished("2")
        } catch {
            await second.stop()
            await first.stop()
            await redis.stop()
            throw error
        }
        await second.stop()
        await first.stop()
        await redis.stop()
    }

    private struct Parts: Sendable {
        let redis: Redis
        let lostEntries: LostEntryCheck
    }

    @Test("A full queue to Redis does not count as a loss, and no row is published again")
    func fullQueue() async throws {
        let server = try await RedisServer.start()
        var configuration = try #require(RedisConfiguration(url: "redis://127.0.0.1:\(server.port)/0"))
        configuration.commandTimeout = .seconds(20).patiently
        let parts = Mutex<Parts?>(nil)
        let service = try await ServiceUnderTest("sample", [], redis: server) { [configuration] builder in
            let database = try await builder.database("sample", migrations: Outbox.migrations)
            let redis = Redis(configuration, on: builder.loops, resolvingOn: BlockingPool(threads: 1, limit: 8))
            builder.atEnd { redis.close() }
            let lostEntries = builder.lostEntryCheck(of: database, to: redis, streams: OutboxStreams(Self.stream))
            builder.relayOutbox(checkedBy: lostEntries, grace: .zero, retention: .day) { row in
                [.append(["id": String(row.id)], toStream: Self.stream)]
            }
            parts.withLock { $0 = Parts(redis: redis, lostEntries: lostEntries) }
        }
        do {
            try await service.lent { service in
                try await service.write(1)
                try await service.untilPublished("1")
                let entry = try await service.database.run(sql: "select entry from sample.outbox")
                let created = parts.withLock(\.self)
                let made = try #require(created)
                try await service.loops.loops[0].run {
                    let redis = made.redis
                    try await redis.connected(within: .seconds(20).patiently)
                    // More than a connection accepts. They leave at the end of the turn.
                    for _ in 0..<20_000 { redis.post(RedisCommand("ECHO", "x")) }
                    var rows = PublishedRows()
                    rows.add(1, String(entry.dropLast()))
                    try await made.lostEntries.confirm(rows, of: 0, appendedBy: redis.state)
                }
                #expect(try await service.database.run(sql: "select entry from sample.outbox") == entry)
            }
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    /// The mark of the second row waits until the table has a row.
    private static let gate = """
        create table sample.gate (is_open boolean);
        create function sample.wait_at_gate() returns trigger language plpgsql security definer as $$ begin
            while not exists (select from sample.gate) loop perform pg_sleep(0.01); end loop;
            return new;
        end $$;
        create trigger wait_at_gate before update on sample.outbox for each row
            when (new.id = 2 and new.published_at is not null) execute function sample.wait_at_gate();
        """

    /// The rows that the entries of the stream name.
    private static func rows(in redis: RedisServer) async throws -> Set<String> {
        let parts = try await redis.command("XRANGE", stream.name, "-", "+")
        return Set(parts.indices.filter { parts[$0] == "id" }.map { parts[$0 + 1] })
    }

    /// The number of connections of the service.
    private static func connections(to redis: RedisServer) async throws -> Int {
        try await redis.command("CLIENT", "LIST").joined().split(separator: "\n").count { $0.contains("name=sample ") }
    }
}
