import EventLoop
import Redis
import Testing

@Suite struct LimitTests {
    @Test("Commands beyond the limit are refused unsent, and those before are answered")
    func outstanding() async throws {
        try await RedisFixture.run(adjust: { $0.outstandingLimit = 10 }) { fixture async throws in
            let outcomes = await fixture.redis.run((0..<12).map { RedisCommand("ECHO", $0) })
            #expect(outcomes.prefix(10).enumerated().allSatisfy { $1 == .success(.bytes(Array("\($0)".utf8))) })
            #expect(outcomes.suffix(2).allSatisfy { $0 == .failure(.overloaded) })
            #expect(try await fixture.redis.run(RedisCommand("ECHO", "again")).text == "again")
        }
    }

    @Test("runInBatches(_:) answers more commands and bytes than may wait at once, in order")
    func batches() async throws {
        try await RedisFixture.run {
            $0.outstandingLimit = 64
            $0.outputLimit = 10_000
        } _: { fixture async throws in
            let redis = fixture.redis
            #expect(redis.batchLimits == (4, 1250))
            let texts = (0..<100).map { "\($0):" + String(repeating: "x", count: $0 == 50 ? 9000 : $0 * 10) }
            var pauses = 0
            let outcomes = await redis.runInBatches(texts.map { RedisCommand("ECHO", $0) }) { pauses += 1 }
            #expect(outcomes.map { try? $0.get().text } == texts)
            #expect(pauses >= 24, "no more than four at once")
        }
    }

    @Test("runInBatches(_:) sends nothing after a batch with a failure")
    func batchesUntilFailure() async throws {
        try await RedisFixture.run(adjust: { $0.outstandingLimit = 64 }) { fixture async throws in
            let (redis, key) = (fixture.redis, fixture.key("count"))
            let wrong = RedisCommand("LPUSH", fixture.key("text"), "x")
            try await redis.set(fixture.key("text"), to: Array("text".utf8))
            let increment = RedisCommand("INCR", key)
            let outcomes = await redis.runInBatches((0..<12).map { $0 == 5 ? wrong : increment })
            #expect(outcomes.count == 8)
            #expect(outcomes.indices.filter { (try? outcomes[$0].get()) == nil } == [5])
            #expect(try await redis.increment(key, by: 0) == 7)
            try await redis.delete(key)
            try await redis.delete(fixture.key("text"))
        }
    }

    @Test("Bytes beyond the limit are refused unsent, and the connection stays")
    func output() async throws {
        try await RedisFixture.run(adjust: { $0.outputLimit = 1000 }) { fixture async throws in
            let key = fixture.key("large")
            await #expect(throws: RedisError.overloaded) {
                try await fixture.redis.set(key, to: [UInt8](repeating: 1, count: 1000))
            }
            #expect(try await fixture.redis.get(key) == nil)
        }
    }

    @Test("A reply beyond the limit closes the connection, and a new one is opened")
    func reply() async throws {
        try await RedisFixture.run(adjust: { $0.replyLimit = 100_000 }) { fixture async throws in
            let (redis, key) = (fixture.redis, fixture.key("large"))
            try await redis.set(key, to: [UInt8](repeating: 1, count: 90_000))
            #expect(try await redis.get(key)?.count == 90_000)
            try await redis.run(RedisCommand("APPEND", key, String(repeating: "x", count: 20_000)))
            await #expect { try await redis.get(key) } throws: { error in
                if case .connectionLost = error as? RedisError { true } else { false }
            }
            try await redis.connected(within: .seconds(60))
            #expect(redis.state == .connected(generation: 2))
            try await redis.delete(key)
        }
    }

    @Test(
        "A server that does not speak RESP, or speaks unasked, loses the connection; waiting commands fail at once",
        arguments: ["HTTP/1.1 400 Bad Request\r\n", "+A\r\n+B\r\n"])
    func malformed(answer: String) async throws {
        let group = EventLoopGroup(count: 1)
        try await group.loops[0].run {
            let server = try ScriptedServer(on: group.loops[0]) { _, input in
                input.contains("PING") ? "+PONG\r\n" : answer
            }
            var configuration = RedisConfiguration(.host("127.0.0.1", port: server.port))
            configuration.commandTimeout = .seconds(60)
            configuration.connectTimeout = .seconds(60)
            let redis = Redis(configuration, on: group, resolvingOn: BlockingPool(threads: 1, limit: 1))
            try await redis.connected(within: .seconds(60))
            let outcome = await redis.run([RedisCommand("GET", "a")]).first
            if answer == "+A\r\n+B\r\n" {
                #expect(outcome == .success(.status("A")))
            } else {
                guard case .failure(.connectionLost) = outcome else {
                    Issue.record("\(String(describing: outcome))")
                    return
                }
            }
            #expect(!redis.state.isConnected)
            redis.close()
            server.stop()
        }
        group.stop()
    }
}
