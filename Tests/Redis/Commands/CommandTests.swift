import EventLoop
import Redis
import Testing

@Suite struct CommandTests {
    @Test("What is set is read again, byte for byte, until it expires or is deleted")
    func values() async throws {
        try await RedisFixture.run { fixture async throws in
            let (redis, key) = (fixture.redis, fixture.key("value"))
            #expect(try await redis.get(key) == nil)
            let bytes: [UInt8] = [0, 255, 13, 10, 42]
            #expect(try await redis.set(key, to: bytes))
            #expect(try await redis.get(key) == bytes)
            #expect(try await !redis.set(key, to: "other", when: .ifAbsent))
            #expect(try await redis.get([key, fixture.key("absent")]) == [bytes, nil])
            #expect(try await redis.remainingLife(of: key) == nil)
            #expect(try await redis.set(key, to: "short", expiry: .seconds(60), when: .ifPresent))
            let life = try #require(try await redis.remainingLife(of: key))
            #expect(life > .seconds(50) && life <= .seconds(60))
            #expect(try await redis.expire(key, after: .milliseconds(1)))
            while try await redis.exists(key) {}
            #expect(try await redis.delete(key) == 0)
        }
    }

    @Test("Counters, hashes, sets and sorted sets do what their commands do")
    func structures() async throws {
        try await RedisFixture.run { fixture async throws in
            let redis = fixture.redis
            #expect(try await redis.increment(fixture.key("n"), by: 5) == 5)
            #expect(try await redis.increment(fixture.key("n")) == 6)

            let hash = fixture.key("hash")
            #expect(try await redis.setHash(hash, ["name": "마루", "size": 7]) == 2)
            #expect(try await redis.incrementHashField("size", of: hash) == 8)
            #expect(try await redis.hash(hash) == ["name": Array("마루".utf8), "size": Array("8".utf8)])
            #expect(try await redis.deleteHashFields(["name", "none"], of: hash) == 1)
            #expect(try await redis.hashValue("name", of: hash) == nil)

            let set = fixture.key("set")
            #expect(try await redis.add(["a", "b", "a"], toSet: set) == 2)
            #expect(try await redis.remove(["b"], fromSet: set) == 1)
            #expect(try await redis.members(ofSet: set) == ["a"])
            #expect(try await redis.isMember("a", ofSet: set))
            #expect(try await redis.count(ofSet: set) == 1)

            let sorted = fixture.key("sorted")
            #expect(try await redis.add([("b", 2), ("a", 1.5), ("c", 30)], toSortedSet: sorted) == 3)
            #expect(try await redis.members(ofSortedSet: sorted, scores: 0...10) == ["a", "b"])
            #expect(try await redis.score(of: "a", inSortedSet: sorted) == 1.5)
            #expect(try await redis.removeMembers(ofSortedSet: sorted, scores: -.infinity...2) == 2)
            #expect(try await redis.remove(["c"], fromSortedSet: sorted) == 1)
            #expect(try await redis.count(ofSortedSet: sorted) == 0)
        }
    }

    @Test("A refusal is an error with its code, and the commands around it are answered")
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
                (error as? RedisError)?.code == "WRONGTYPE" && (error as? RedisError)?.mayHaveExecuted == false
            }
        }
    }

    @Test("A thousand tasks at once each get their own reply")
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

    @Test("Each loop has a connection of its own")
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

    @Test("Values of many megabytes come and go whole")
    func bigValues() async throws {
        try await RedisFixture.run(adjust: { $0.commandTimeout = .seconds(60) }) { fixture async throws in
            let big = (0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            try await fixture.redis.set(fixture.key("big"), to: big)
            #expect(try await fixture.redis.get(fixture.key("big")) == big)
            try await fixture.redis.delete(fixture.key("big"))
        }
    }

    @Test("A posted command is executed although nobody waits")
    func posting() async throws {
        try await RedisFixture.run { fixture async throws in
            fixture.redis.post(RedisCommand("SET", fixture.key("posted"), "x"))
            #expect(try await fixture.redis.get(fixture.key("posted")) == Array("x".utf8))
        }
    }
}
