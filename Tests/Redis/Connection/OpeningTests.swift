import EventLoop
import Redis
import TestSupport
import Testing

@Suite struct OpeningTests {
    @Test("A connection authenticates with its password and selects its database and name")
    func entering() async throws {
        let server = try await RedisServer.start(["--requirepass", "s3cret"])
        try await RedisFixture.run(server) {
            $0.password = "s3cret"
            $0.database = 3
            $0.clientName = "maru-test"
        } _: { fixture async throws in
            let info = try await fixture.redis.run(RedisCommand("CLIENT", "INFO")).text ?? ""
            #expect(info.contains(" db=3 ") && info.contains(" name=maru-test "))
        }
    }

    @Test("A named user authenticates with their own password")
    func user() async throws {
        let server = try await RedisServer.start(["--user", "chat", "on", ">pass", "~*", "&*", "+@all"])
        try await RedisFixture.run(server) {
            $0.user = "chat"
            $0.password = "pass"
        } _: { fixture async throws in
            #expect(try await fixture.redis.run(RedisCommand("ACL", "WHOAMI")).text == "chat")
        }
    }

    @Test("No secret is in a description or an error, even if the server repeats it")
    func secrecy() async throws {
        let strict = try await RedisServer.start(["--requirepass", "right-one"])
        // This server does not know AUTH, and repeats the arguments in its error.
        let ignorant = try await RedisServer.start(["--rename-command", "AUTH", ""])
        for server in [strict, ignorant] {
            var configuration = RedisConfiguration(.host("127.0.0.1", port: server.port))
            configuration.password = "wr0ng-secret"
            // The error is that of the last attempt, which the time of a slow server must not end.
            configuration.connectTimeout = .seconds(20).patiently
            let group = EventLoopGroup(count: 1)
            let redis = Redis(configuration, on: group, resolvingOn: BlockingPool(threads: 1, limit: 1))
            let error = try await group.loops[0].run {
                let error = await #expect(throws: RedisError.self) {
                    try await redis.connected(within: .seconds(3).patiently)
                }
                await #expect(throws: RedisError.notConnected) { try await redis.get("x") }
                return try #require(error)
            }
            guard case .connectFailed(let reason) = error else { throw error }
            #expect(reason.hasPrefix("AUTH: "))
            for text in [
                "\(error)", String(reflecting: error), "\(configuration)", String(reflecting: configuration),
                dumped(configuration),
            ] {
                #expect(!text.contains("wr0ng"))
            }
            redis.close()
            await onOwnThread { group.stop() }
        }
    }

    @Test("A server that still loads its data does not count as connected")
    func loading() async throws {
        let group = EventLoopGroup(count: 1)
        let pool = BlockingPool(threads: 1, limit: 1)
        let server = try await group.loops[0].run {
            try ScriptedServer(on: group.loops[0]) { connection, _ in
                connection < 3 ? "-LOADING Redis is loading the dataset in memory\r\n" : "+PONG\r\n"
            }
        }
        var configuration = RedisConfiguration(.host("localhost", port: server.port))
        // Another attempt would be one more connection.
        configuration.connectTimeout = .seconds(20).patiently
        let redis = Redis(configuration, on: group, resolvingOn: pool)
        try await group.loops[0].run {
            await #expect(throws: RedisError.notConnected) { try await redis.get("x") }
            try await redis.connected(within: .seconds(60))
            #expect(redis.state == .connected(generation: 1))
            #expect(server.count == 3)
            redis.close()
            server.stop()
        }
        await onOwnThread { group.stop() }
    }

    private func dumped(_ value: Any) -> String {
        var text = ""
        dump(value, to: &text)
        return text
    }
}
