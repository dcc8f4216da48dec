import ServiceSupport
import TestSupport
import Testing

@testable import Redis
@testable import ServiceKit

@Suite("Several streams of an outbox")
struct OutboxStreamsTests {
    private static let two = OutboxStreams(["a", "b"])

    @Test("The sixteen streams of pushes are spread evenly over the slots of a cluster")
    func slots() {
        let parts = OutboxStreams.tags.map { HashSlot.of("push:{\($0)}".utf8) / 1024 }
        #expect(parts == Array(0..<16))
    }

    @Test("A row names its stream beside the id of its entry, and the id alone if there is one stream")
    func places() {
        #expect(Self.two.position(of: "5-1", in: "b") == "1:5-1")
        #expect(Self.two.place("1:5-1").map { "\($0.key) \($0.id)" } == "b 5-1")
        // The row was published at a single server.
        #expect(Self.two.place("5-1").map { "\($0.key) \($0.id)" } == "a 5-1")
        #expect(Self.two.place("2:5-1") == nil && Self.two.place("x") == nil && Self.two.place("") == nil)
        let one = OutboxStreams("a")
        #expect(one.position(of: "5-1", in: "a") == "5-1")
        #expect(one.place("5-1").map { "\($0.key) \($0.id)" } == "a 5-1")
        #expect(one.place("1:5-1") == nil)
    }

    @Test("An entry that no consumer acknowledges keeps the rows of its stream, and those of other streams are deleted")
    func stuck() async throws {
        func start(_ database: TestDatabase? = nil, _ redis: RedisServer? = nil) async throws -> ServiceUnderTest {
            try await ServiceUnderTest("sample", [], database: database, redis: redis) { builder in
                let database = try await builder.database("sample", migrations: Outbox.migrations)
                try builder.relayOutbox(
                    of: database, to: builder.redis(), streams: Self.two, grace: .zero,
                    retention: OutboxRetention(acknowledged: .zero, unread: .zero)
                ) { row in [.append(["id": row.id], toStream: Self.two.key(ofRow: row.id))] }
            }
        }
        let first = try await start()
        let (database, redis) = (first.database, first.redis)
        try await first.lent { service in
            for key in ["a", "b"] { try await redis.command("XGROUP", "CREATE", key, "readers", "0", "MKSTREAM") }
            try await service.write(1200)
            try await service.untilPublished("1200")
            // The readers of one stream are done, and those of the other one have read nothing of its older rows.
            try await redis.command("XGROUP", "SETID", "b", "readers", "$")
            _ = try await database.run(
                sql: "update sample.outbox set published_at = published_at - 1000 where entry like '0:%'")
        }
        // A relay deletes rows at its start.
        try await start(database, redis).lent { _ in
            try await eventually(within: .seconds(30), "the deletion") {
                // The last entry that was read stays.
                try await database.run(sql: "select count(*) from sample.outbox where entry like '1:%'") == "1\n"
            }
            #expect(try await database.run(sql: "select count(*) from sample.outbox where entry like '0:%'") == "600\n")
        }
        await redis.stop()
    }

    @Test("If one of several streams is lost, the rows are published again, and no other stream hides the loss")
    func lost() async throws {
        let service = try await ServiceUnderTest("sample", []) { builder in
            let database = try await builder.database("sample", migrations: Outbox.migrations)
            try builder.relayOutbox(
                of: database, to: builder.redis(), streams: Self.two, grace: .zero, retention: .day
            ) { row in [.append(["id": row.id], toStream: Self.two.key(ofRow: row.id))] }
        }
        let redis = service.redis
        try await service.lent { service in
            try await service.write(4)
            try await service.untilPublished("4")
            // A row that is marked too late is published again.
            @Sendable func length(_ stream: String) async throws -> Int {
                Int(try await redis.command("XLEN", stream).first ?? "") ?? 0
            }
            let before = try await length("a")
            #expect(before >= 2)
            try await redis.command("DEL", "b")
            // The relay looks for losses when its connection is a new one.
            _ = try await redis.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
            try await eventually(within: .seconds(30)) { try await length("b") >= 2 }
            try await service.untilPublished("4")
            #expect(try await length("a") >= before + 2)
        }
        await redis.stop()
    }
}
