import Redis
import Testing

@Suite struct ScriptTests {
    private static let script = RedisScript(
        "local n = redis.call('INCRBY', KEYS[1], ARGV[1]) return {n, KEYS[1], ARGV[2] or false}")

    @Test("A script runs by its digest, and is sent in full if the server has lost it")
    func flushed() async throws {
        try await RedisFixture.run { fixture async throws in
            let (redis, key) = (fixture.redis, fixture.key("count"))
            for count in 1...3 {
                try await redis.run(RedisCommand("SCRIPT", "FLUSH"))
                for step in 0...1 {
                    let reply = try await redis.run(Self.script, keys: [key], 1, "마루")
                    #expect(
                        reply
                            == .array([
                                .integer(Int64(count * 2 - 1 + step)), .bytes(Array(key.name.utf8)),
                                .bytes(Array("마루".utf8)),
                            ]))
                }
            }
        }
    }

    @Test("An error that a script reports is thrown")
    func failing() async throws {
        try await RedisFixture.run { fixture async throws in
            let script = RedisScript("return redis.error_reply('LIMIT too much')")
            await #expect { try await fixture.redis.run(script, keys: []) } throws: {
                ($0 as? RedisError)?.code == "LIMIT"
            }
        }
    }
}
