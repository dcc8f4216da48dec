import EventLoop
import Redis
import Testing

@Suite struct CommandTests {
    @Test("A value is read back byte for byte until it expires or is deleted")
    func values() async throws {
        try await RedisFixture.run { fixture async throws in
            let (redis, key) = (fixture.redis, fixture.key("value"))
            #expect(try await redis.get(key) == nil)
            let bytes: [UInt8] = [0, 255, 13, 10, 42]
            #expect(try await redis.set(key, to: bytes))
            #expect(try await redis.get(key) == bytes)
            #expect(try await !redis.set(key, to: "other", when: .ifAbsent))
            #expect(try await redis.get([key, fixture.key("absent")]) == [bytes, nil])
            #expect(try await redis.run(RedisCommand("PTTL", key)) == .integer(-1))
            #expect(try await redis.set(key, to: "short", expiry: .seconds(600), when: .ifPresent))
            let life = try #require(try await redis.run(RedisCommand("PTTL", key)).integer)
            #expect(life > 300_000 && life <= 600_000)
            #expect(try await redis.expire(key, after: .milliseconds(1)))
            while try await redis.get(key) != nil {}
            #expect(try await redis.delete(key) == 0)
        }
    }

    @Test("Counters add up")
    func counters() async throws {
        try await RedisFixture.run { fixture async throws in
            let redis = fixture.redis
            #expect(try await redis.increment(fixture.key("n"), by: 5) == 5)
            #expect(try await redis.increment(fixture.key("n")) == 6)
        }
    }

    @Test("An error reply is thrown with its code, and the commands around it are answered")
    func refusal() async throws {
        try await RedisFixture.run { fixture async throws in
            let (redis, key) = (fixture.redis, fixture.key("list"))
            let outcomes = await redis.run([
                RedisCommand("RPUSH", key, "x"), RedisCommand("GET", key), RedisCommand("LLEN", key),
            ])
            #expect(try outcomes[0].get() == .integer(1))
            #expect(throws: RedisError.self) { try outcomes[1].get() }
            #expect(try outcomes[2].get() == .integer(1))
            await #expect { try await redis.get(key) } throws: { error in
                (error as? RedisError)?.code == "WRONGTYPE"
            }
        }
    }

    @Test("Each of a thousand concurrent tasks gets its own reply")
    func pipelining() async throws {
        try await RedisFixture.run { fixture async throws in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<1000 {
                    group.addTask {
                        let reply = try await fixture.redis.run(RedisCommand("ECHO", "\(number)"))
                        #expect(reply.text == "\(number)")
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test("Each loop has its own connection")
    func loops() async throws {
        try await RedisFixture.run { fixture async throws in
            let own = try await fixture.redis.run(RedisCommand("CLIENT", "ID"))
            let other = try await fixture.group.loops[1].run {
                try await fixture.redis.connected(within: .seconds(60))
                return try await fixture.redis.run(RedisCommand("CLIENT", "ID"))
            }
            #expect(own != other)
            #expect(try await fixture.redis.run(RedisCommand("CLIENT", "ID")) == own)
        }
    }

    @Test("Values of several megabytes are sent and received whole")
    func bigValues() async throws {
        try await RedisFixture.run(adjust: { $0.commandTimeout = .seconds(60) }) { fixture async throws in
            let big = (0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            try await fixture.redis.set(fixture.key("big"), to: big)
            #expect(try await fixture.redis.get(fixture.key("big")) == big)
            try await fixture.redis.delete(fixture.key("big"))
        }
    }

    @Test("A posted command is executed although no task waits for it")
    func posting() async throws {
        try await RedisFixture.run { fixture async throws in
            fixture.redis.post(RedisCommand("SET", fixture.key("posted"), "x"))
            #expect(try await fixture.redis.get(fixture.key("posted")) == Array("x".utf8))
        }
    }
}
