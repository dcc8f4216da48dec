import HTTP
import Redis
import ServiceKit
import ServiceSupport
import TestSupport
import Testing

@Suite("Streams of services")
struct StreamTests {
    @Test("Processes that share a stream are consumers of their own, wherever they run")
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

    @Test("Facts are told again as soon as a Redis that has lost them is back, however short it was away")
    func toldAgain() async throws {
        let redis = try await RedisServer.start()
        let service = try await ServiceUnderTest("sample", [], redis: redis) { builder in
            let database = try await builder.database("sample", migrations: Outbox.migrations)
            let outbox = builder.outbox(in: database, to: try builder.redis(), named: "sample")
            builder.publicRoutes { routes in
                routes.open(.post, "/v1/things") { call in
                    try await outbox.transaction { tx in try await outbox.append("thing", in: tx) { _ in } }
                    return call.done()
                }
            }
        }
        #expect(try await service.call("POST", "/v1/things").status == 200)
        try await eventually("the fact") { try await redis.say("XLEN facts:sample") == [":1"] }
        // Between the telling and its noting nothing could be told again.
        try await eventually("its noting") {
            try await service.database.run(sql: "select count(*) from sample.outbox where published_at is null")
                .hasPrefix("0")
        }
        for command in ["FLUSHALL", "CLIENT KILL TYPE normal", "CLIENT KILL TYPE pubsub"] {
            _ = try await redis.say(command)
        }
        try await eventually("the fact again") {
            try await redis.say("XLEN facts:sample") == [":1"]
        }
        await service.stop()
        await redis.stop()
    }

    @Test("What nobody hears is forgotten after a day, however much it is")
    func unheard() async throws {
        let redis = try await RedisServer.start()
        @Sendable func assemble(_ builder: ServiceBuilder) async throws {
            let database = try await builder.database("sample", migrations: Outbox.migrations)
            _ = builder.outbox(in: database, to: try builder.redis(), named: "sample")
        }
        let service = try await ServiceUnderTest("sample", [], redis: redis, assemble: assemble)
        let database = service.database
        _ = try await database.run(
            sql: "insert into sample.outbox (type, body) select 'thing', '{}' from generate_series(1, 2500)")
        try await eventually("the telling") {
            try await database.run(sql: "select count(*) from sample.outbox where published_at is not null") == "2500\n"
        }
        _ = try await database.run(
            sql: """
                update sample.outbox set published_at = (extract(epoch from now()) * 1000)::bigint - 90000000
                where id <= 2400
                """)
        // An instance looks for what is old when it starts.
        let second = try await ServiceUnderTest(
            "sample", [], database: database, redis: redis, assemble: assemble)
        try await eventually("the forgetting") {
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

    @Test("What all have acknowledged is forgotten when its memory is over, and nothing else")
    func acknowledged() async throws {
        let redis = try await RedisServer.start()
        @Sendable func assemble(_ builder: ServiceBuilder) async throws {
            let database = try await builder.database("sample", migrations: Outbox.migrations)
            _ = builder.outbox(
                in: database, to: try builder.redis(), stream: "things", grace: .zero,
                memory: OutboxMemory(acknowledged: .seconds(60), unheard: .seconds(3600))
            ) { row in [.append(["id": row.id], toStream: "things")] }
        }
        let service = try await ServiceUnderTest("sample", [], redis: redis, assemble: assemble)
        let database = service.database
        _ = try await database.run(
            sql: "insert into sample.outbox (type, body) select 'thing', '{}' from generate_series(1, 100)")
        try await eventually("the telling") {
            try await database.run(sql: "select count(*) from sample.outbox where published_at is not null") == "100\n"
        }
        // What nobody reads yet is remembered for longer: the second instance forgets nothing.
        _ = try await database.run(
            sql: "update sample.outbox set published_at = (extract(epoch from now()) * 1000)::bigint - 61000")
        let second = try await ServiceUnderTest("sample", [], database: database, redis: redis, assemble: assemble)
        _ = try await database.run(sql: "insert into sample.outbox (type, body) values ('thing', '{}')")
        try await eventually("the telling of the last") {
            try await database.run(sql: "select count(*) from sample.outbox where published_at is not null") == "101\n"
        }
        _ = try await redis.say("XGROUP CREATE things readers 0")
        // Ninety are read, and of these all but the last ten acknowledged.
        _ = try await redis.say("XREADGROUP GROUP readers a COUNT 90 STREAMS things >")
        let entries = try await database.run(sql: "select entry from sample.outbox where id <= 80 order by id")
        _ = try await redis.say("XACK things readers " + entries.split(separator: "\n").joined(separator: " "))
        // The others are from before the memory.
        _ = try await database.run(
            sql: """
                update sample.outbox set published_at = (extract(epoch from now()) * 1000)::bigint
                where id between 41 and 75
                """)
        let third = try await ServiceUnderTest("sample", [], database: database, redis: redis, assemble: assemble)
        try await eventually("the forgetting") {
            try await database.run(sql: "select count(*), min(id), max(id) from sample.outbox") == "56|41|101\n"
        }
        #expect(try await database.run(sql: "select count(*) from sample.outbox where id between 76 and 80") == "0\n")
        await third.stop()
        await second.stop()
        await service.stop()
        await redis.stop()
    }
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
