import Contract
import HTTP
import Redis
import ServiceKit
import ServiceSupport
import TestSupport
import Testing
import Wire

@Suite("Streams of services")
struct StreamTests {
    @Test("Each process that shares a stream is a consumer of its own")
    func consumers() async throws {
        let redis = try await RedisServer.start()
        var services: [ServiceUnderTest] = []
        for _ in 0..<2 {
            services.append(
                try await ServiceUnderTest("sample", [], redis: redis) { builder in
                    try builder.stream("things") { _ in }
                })
        }
        try await eventually("two consumers") {
            try await Set(redis.say("XINFO CONSUMERS things sample").filter { $0.hasPrefix("sample-") }).count == 2
        }
        for service in services { await service.stop() }
        await redis.stop()
    }

    @Test("Facts are published again as soon as a Redis that has lost them is back, however short it was away")
    func publishedAgain() async throws {
        let redis = try await RedisServer.start()
        let service = try await ServiceUnderTest("sample", [], redis: redis) { builder in
            let database = try await builder.database("sample", migrations: Outbox.migrations)
            let outbox = builder.outbox(of: SampleFact.self, in: database, to: try builder.redis())
            builder.publicRoutes { routes in
                routes.open(.post, "/v1/things") { call in
                    try await outbox.transaction { tx in try await outbox.append(SampleFact.thing, in: tx) }
                    return call.done()
                }
            }
        }
        #expect(try await service.call("POST", "/v1/things").status == 200)
        // It may come twice: it is published again if it is marked too late.
        try await eventually("the fact") { try await redis.say("XLEN facts:sample") != [":0"] }
        // A fact that is not marked as published yet would not be published again.
        try await eventually("the mark") {
            try await service.database.run(sql: "select count(*) from sample.outbox where published_at is null")
                .hasPrefix("0")
        }
        for command in ["FLUSHALL", "CLIENT KILL TYPE normal", "CLIENT KILL TYPE pubsub"] {
            _ = try await redis.say(command)
        }
        try await eventually("the fact again") {
            try await redis.say("XLEN facts:sample") != [":0"]
        }
        await service.stop()
        await redis.stop()
    }

    @Test("Facts of a stream without a group are deleted after a day, however many they are")
    func unread() async throws {
        let redis = try await RedisServer.start()
        @Sendable func assemble(_ builder: ServiceBuilder) async throws {
            let database = try await builder.database("sample", migrations: Outbox.migrations)
            _ = builder.outbox(of: SampleFact.self, in: database, to: try builder.redis())
        }
        let service = try await ServiceUnderTest("sample", [], redis: redis, assemble: assemble)
        let database = service.database
        _ = try await database.run(
            sql: "insert into sample.outbox (type, body) select 'thing', '{}' from generate_series(1, 2500)")
        try await eventually("the publishing") {
            try await database.run(sql: "select count(*) from sample.outbox where published_at is not null") == "2500\n"
        }
        _ = try await database.run(
            sql: """
                update sample.outbox set published_at = (extract(epoch from now()) * 1000)::bigint - 90000000
                where id <= 2400
                """)
        // An instance deletes old rows when it starts.
        let second = try await ServiceUnderTest(
            "sample", [], database: database, redis: redis, assemble: assemble)
        try await eventually("the deletion") {
            try await database.run(sql: "select count(*), min(id) from sample.outbox") == "100|2401\n"
        }
        // Redis trims by nodes of a hundred entries.
        try await eventually("the trimming") {
            let length = try await redis.say("XLEN facts:sample").first.flatMap { Int($0.dropFirst()) }
            return (100...200).contains(length ?? 0)
        }
        await second.stop()
        await service.stop()
        await redis.stop()
    }

    @Test("A fact is deleted after its retention once every group has acknowledged it, and no other fact is")
    func acknowledged() async throws {
        let redis = try await RedisServer.start()
        @Sendable func assemble(_ builder: ServiceBuilder) async throws {
            let database = try await builder.database("sample", migrations: Outbox.migrations)
            try builder.relayOutbox(
                of: database, to: builder.redis(), streams: OutboxStreams("things"), grace: .zero,
                retention: OutboxRetention(acknowledged: .seconds(60), unread: .seconds(3600))
            ) { row in [.append(["id": row.id], toStream: "things")] }
        }
        let service = try await ServiceUnderTest("sample", [], redis: redis, assemble: assemble)
        let database = service.database
        _ = try await database.run(
            sql: "insert into sample.outbox (type, body) select 'thing', '{}' from generate_series(1, 100)")
        try await eventually("the publishing") {
            try await database.run(sql: "select count(*) from sample.outbox where published_at is not null") == "100\n"
        }
        // Entries of a stream without a group are kept longer, so the second instance deletes nothing.
        _ = try await database.run(
            sql: "update sample.outbox set published_at = (extract(epoch from now()) * 1000)::bigint - 61000")
        let second = try await ServiceUnderTest("sample", [], database: database, redis: redis, assemble: assemble)
        _ = try await database.run(sql: "insert into sample.outbox (type, body) values ('thing', '{}')")
        try await eventually("the publishing of the last") {
            try await database.run(sql: "select count(*) from sample.outbox where published_at is not null") == "101\n"
        }
        // All other rows are older than the retention, and these stay younger, however slow the machine is.
        _ = try await database.run(
            sql: """
                update sample.outbox set published_at = (extract(epoch from now()) * 1000)::bigint + 600000
                where id between 41 and 75
                """)
        _ = try await redis.say("XGROUP CREATE things readers 0")
        // The group has read ninety entries and acknowledged eighty of them.
        _ = try await redis.say("XREADGROUP GROUP readers a COUNT 90 STREAMS things >")
        let entries = try await database.run(sql: "select entry from sample.outbox where id <= 80 order by id")
        _ = try await redis.say("XACK things readers " + entries.split(separator: "\n").joined(separator: " "))
        let third = try await ServiceUnderTest("sample", [], database: database, redis: redis, assemble: assemble)
        try await eventually("the deletion") {
            try await database.run(sql: "select count(*), min(id), max(id) from sample.outbox") == "56|41|101\n"
        }
        #expect(try await database.run(sql: "select count(*) from sample.outbox where id between 76 and 80") == "0\n")
        await third.stop()
        await second.stop()
        await service.stop()
        await redis.stop()
    }
}

private enum SampleFact: Fact {
    case thing

    enum Name: String, CaseIterable, Sendable { case thing }

    static let source = "sample"

    var name: Name { .thing }
    func write(to json: inout JSONWriter) { json.object { _ in } }
    init?(_ name: Name, _ body: JSONValue) { self = .thing }
}

extension RedisServer {
    /// The lines of the reply to a command.
    fileprivate func say(_ command: String) async throws -> [String] {
        try await onOwnThread { [port] in
            Result {
                let connection = try RawConnection(port: port)
                try connection.send("\(command)\r\nPING\r\n")
                return try connection.receive(until: "+PONG\r\n").split(separator: "\r\n").dropLast().map(String.init)
            }
        }.get()
    }
}
