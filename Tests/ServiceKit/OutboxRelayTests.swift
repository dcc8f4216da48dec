import Postgres
import Redis
import ServiceKit
import ServiceSupport
import Synchronization
import TestSupport
import Testing
import Wire

@Suite("The relay of an outbox")
struct OutboxRelayTests {
    private static let stream: RedisKey = "published"

    /// A service with an outbox. The test makes the commands that publish its rows.
    private func use(
        isDivided: Bool = false, commands: @escaping @Sendable (OutboxRow) async throws -> [RedisCommand],
        _ body: (ServiceUnderTest) async throws -> Void
    ) async throws {
        let service = try await ServiceUnderTest("sample", []) { builder in
            let column = "alter table outbox add column workspace bigint not null default 0"
            let more = isDivided ? [Migration(number: 3, name: "workspace", sql: Array(column.utf8))] : []
            let database = try await builder.database("sample", migrations: Outbox.migrations + more)
            try builder.relayOutbox(
                of: database, to: builder.redis(), streams: OutboxStreams(Self.stream), grace: .zero, retention: .day,
                isDivided: isDivided, commands: commands)
        }
        let redis = service.redis
        do {
            try await service.lent(to: body)
        } catch {
            await redis.stop()
            throw error
        }
        await redis.stop()
    }

    private static func append(_ row: OutboxRow, bytes: Int = 0) -> RedisCommand {
        .append(["id": String(row.id), "body": [UInt8](repeating: 1, count: bytes)], toStream: stream)
    }

    @Test("A backlog of more commands than a connection accepts is published completely, each row once and in order")
    func backlog() async throws {
        try await use { row in
            Array(repeating: Self.append(row, bytes: 100), count: 40)
        } _: { service in
            try await service.write(500)
            try await service.untilPublished("500")
            // The first command of each row. A slice is published again if its replies come too late, as on a machine that stands still.
            let ids = try await service.publishedIDs()
            #expect(ids.count >= 20_000 && ids.count < 22_000)
            let isInOrder = ids.withoutRepeats == Array(1...500)
            #expect(isInOrder)
        }
    }

    @Test("A row larger than the queue to Redis is published, and so are the rows after it")
    func largeRow() async throws {
        try await use { row in
            row.id == 2 ? Array(repeating: Self.append(row, bytes: 250_000), count: 160) : [Self.append(row)]
        } _: { service in
            try await service.write(3)
            try await service.untilPublished("3")
            let ids = try await service.publishedIDs()
            #expect(ids.withoutRepeats == [1, 2, 3] && ids.count >= 162)
        }
    }

    @Test("If Redis refuses a command of a row, the row waits, and the rows before it are published once")
    func refused() async throws {
        let attempts = Mutex(0)
        try await use { row in
            guard row.id == 2 else { return [Self.append(row)] }
            attempts.withLock { $0 += 1 }
            return [RedisCommand("LPUSH", "list" as RedisKey, "x"), Self.append(row)]
        } _: { service in
            try await service.redis.command("SET", "list", "none")
            try await service.write(3)
            try await service.untilPublished("1")
            try await eventually("more attempts") { attempts.withLock { $0 >= 4 } }
            try await service.redis.command("DEL", "list")
            try await service.untilPublished("3")
            // A slice is published again if its replies come too late, as on a machine that stands still.
            let ids = try await service.publishedIDs()
            #expect(ids.withoutRepeats == [1, 2, 3] && ids.count { $0 == 1 } < 3)
        }
    }

    @Test("A row that cannot be published does not stop the rows before it, which are published once")
    func unreadable() async throws {
        struct Unreadable: Error {}
        let isReadable = Mutex(false)
        let attempts = Mutex(0)
        try await use { row in
            if row.id == 3 && !isReadable.withLock(\.self) {
                attempts.withLock { $0 += 1 }
                throw Unreadable()
            }
            return [Self.append(row)]
        } _: { service in
            try await service.write(4)
            try await service.untilPublished("2")
            try await eventually("more attempts") { attempts.withLock { $0 >= 4 } }
            isReadable.withLock { $0 = true }
            try await service.untilPublished("4")
            let ids = try await service.publishedIDs()
            #expect(ids.withoutRepeats == [1, 2, 3, 4] && ids.count { $0 == 1 } < 3)
        }
    }

    @Test("The rows of each workspace of a divided outbox are published in order, and again if Redis has lost them")
    func divided() async throws {
        try await use(isDivided: true) { row in
            [Self.append(row)]
        } _: { service in
            _ = try await service.database.run(
                sql:
                    "insert into sample.outbox (workspace, type, body) select 3 + i % 3, 'thing', '{}' from generate_series(1, 900) i"
            )
            try await service.untilPublished("900")
            for command in [["FLUSHALL"], ["CLIENT", "KILL", "TYPE", "normal"]] {
                _ = try await service.redis.command(command)
            }
            try await eventually("all of them again") {
                try await service.publishedIDs().withoutRepeats.count == 900
            }
            let ids = try await service.publishedIDs().withoutRepeats
            for rest in 0..<3 { #expect(ids.filter { $0 % 3 == rest } == (1...900).filter { $0 % 3 == rest }) }
        }
    }

    /// The check for lost entries looks for the one with the latest time.
    @Test("A row of a divided outbox is marked with a time after it was made, not with the beginning of a transaction")
    func timeOfPublishing() async throws {
        let madeAt = Mutex<Int64>(.max)
        try await use(isDivided: true) { row in
            try await pause(for: .milliseconds(50))
            madeAt.withLock { $0 = Timestamp.now.milliseconds }
            return [Self.append(row)]
        } _: { service in
            try await service.write(1)
            try await service.untilPublished("1")
            let publishedAt = try await service.database.run(sql: "select published_at from sample.outbox")
            #expect(Int64(publishedAt.dropLast()) ?? 0 >= madeAt.withLock(\.self))
        }
    }

    @Test("A large outbox is published again by statements that each change a limited number of rows")
    func publishedAgain() async throws {
        try await use { row in
            [Self.append(row)]
        } _: { service in
            try await service.write(12_000)
            try await service.untilPublished("12000")
            _ = try await service.database.run(
                sql: """
                    create function sample.refuse_many() returns trigger language plpgsql as $$ begin
                        if (select count(*) from changed) > 5000 then raise exception 'too many'; end if;
                        return null;
                    end $$;
                    create trigger refuse_many after update on sample.outbox referencing new table as changed
                        for each statement execute function sample.refuse_many();
                    """)
            for command in [["FLUSHALL"], ["CLIENT", "KILL", "TYPE", "normal"]] {
                _ = try await service.redis.command(command)
            }
            try await eventually(within: .seconds(60), "all of them again") {
                try await service.publishedIDs().withoutRepeats.count == 12_000
            }
            let isInOrder = try await service.publishedIDs().withoutRepeats == Array(1...12_000)
            #expect(isInOrder)
        }
    }

    @Test("Rows that take long to make are marked a few at a time, so that the transaction is never idle for long")
    func slowRows() async throws {
        try await use { row in
            try await pause(for: .milliseconds(200))
            return [Self.append(row)]
        } _: { service in
            try await service.write(30)
            let first = Mutex(0)
            try await eventually("the first marks") {
                let count = try await service.database.run(
                    sql: "select count(*) from sample.outbox where published_at is not null")
                first.withLock { $0 = Int(count.dropLast()) ?? 0 }
                return first.withLock { $0 > 0 }
            }
            #expect(first.withLock(\.self) < 30)
            try await service.untilPublished("30")
            #expect(try await service.publishedIDs().withoutRepeats == Array(1...30))
        }
    }
}

extension ServiceUnderTest {
    func write(_ rows: Int) async throws {
        _ = try await database.run(
            sql: "insert into sample.outbox (type, body) select 'thing', '{}' from generate_series(1, \(rows))")
    }

    /// Waits until exactly this many rows are marked as published.
    func untilPublished(_ count: String) async throws {
        try await eventually(within: .seconds(30), "\(count) published rows") {
            try await self.database.run(sql: "select count(*) from sample.outbox where published_at is not null")
                == count + "\n"
        }
    }

    /// The rows that the entries of the stream name, in order.
    fileprivate func publishedIDs() async throws -> [Int] {
        let parts = try await redis.command("XRANGE", "published", "-", "+")
        return parts.indices.filter { parts[$0] == "id" }.compactMap { Int(parts[$0 + 1]) }
    }
}
