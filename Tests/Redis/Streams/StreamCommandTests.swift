import Redis
import Testing

@Suite struct StreamCommandTests {
    @Test("Entries are read as they were appended, in order and in part")
    func entries() async throws {
        try await RedisFixture.run { fixture async throws in
            let (redis, key) = (fixture.redis, fixture.key("stream"))
            var ids: [RedisStreamEntry.ID] = []
            for number in 0..<5 {
                ids.append(
                    try await redis.append(["n": number, "body": [0, 255] as [UInt8], "n": "again"], toStream: key))
            }
            #expect(ids == ids.sorted() && Set(ids).count == 5)
            #expect(try await redis.length(ofStream: key) == 5)
            let some = try await redis.entries(ofStream: key, from: ids[1], through: ids[3], limit: 2)
            #expect(some.map(\.id) == [ids[1], ids[2]])
            #expect(some[0]["n"] == Array("1".utf8) && some[0]["body"] == [0, 255] && some[0]["none"] == nil)
            #expect(some[0].fields.map(\.name) == ["n", "body", "n"])
            #expect(try await redis.delete([ids[0]], fromStream: key) == 1)
            #expect(try await redis.entries(ofStream: key).map(\.id) == Array(ids.dropFirst()))
        }
    }

    @Test("A stream keeps about as many entries as its writer asks for")
    func trimming() async throws {
        try await RedisFixture.run { fixture async throws in
            let (redis, key) = (fixture.redis, fixture.key("stream"))
            for _ in 0..<1000 { try await redis.append(["x": 1], toStream: key, keepingAbout: 100) }
            let length = try await redis.length(ofStream: key)
            #expect(length >= 100 && length < 400)
        }
    }

    @Test("A group's state reports pending entries with their idle time, and the lag")
    func groups() async throws {
        try await RedisFixture.run { fixture async throws in
            let (redis, key) = (fixture.redis, fixture.key("stream"))
            #expect(try await redis.groups(ofStream: key).isEmpty)
            #expect(try await redis.createGroup("readers", ofStream: key))
            #expect(try await !redis.createGroup("readers", ofStream: key))
            var ids: [RedisStreamEntry.ID] = []
            for number in 0..<3 { ids.append(try await redis.append(["n": number], toStream: key)) }
            try await redis.run(RedisCommand("XREADGROUP", "GROUP", "readers", "me", "COUNT", 2, "STREAMS", key, ">"))
            let state = try #require(try await redis.groups(ofStream: key).first)
            #expect(state.name == "readers" && state.consumers == 1 && state.pending == 2 && state.lag == 1)
            #expect(state.lastDelivered == ids[1])
            #expect(try await redis.acknowledge([ids[0], ids[2]], ofStream: key, group: "readers") == 1)
            let pending = try await redis.pending(ofStream: key, group: "readers")
            #expect(pending.map(\.id) == [ids[1]] && pending[0].consumer == "me" && pending[0].deliveries == 1)
        }
    }

    @Test("A group tells of its consumers, and is deleted with its pending entries")
    func deletedGroup() async throws {
        try await RedisFixture.run { fixture async throws in
            let (redis, key) = (fixture.redis, fixture.key("stream"))
            #expect(try await redis.consumers(ofStream: key, group: "readers").isEmpty)
            #expect(try await !redis.deleteGroup("readers", ofStream: key))
            try await redis.append(["n": 1], toStream: key)
            #expect(try await redis.consumers(ofStream: key, group: "readers").isEmpty)
            #expect(try await !redis.deleteGroup("readers", ofStream: key))
            try await redis.createGroup("readers", ofStream: key)
            try await redis.run(RedisCommand("XREADGROUP", "GROUP", "readers", "me", "STREAMS", key, ">"))
            let consumers = try await redis.consumers(ofStream: key, group: "readers")
            #expect(consumers.map(\.name) == ["me"] && consumers.map(\.pending) == [1])
            #expect(try await redis.deleteGroup("readers", ofStream: key))
            #expect(try await redis.groups(ofStream: key).isEmpty)
            #expect(try await redis.length(ofStream: key) == 1)
        }
    }

    @Test(
        "The id of an entry is parsed strictly",
        arguments: ["", "1", "1-", "-1", "1-2-3", "a-1", "1-18446744073709551616"])
    func badIDs(text: String) {
        #expect(RedisStreamEntry.ID(text) == nil)
    }
}
