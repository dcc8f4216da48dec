import Redis
import Testing

@Suite struct ConfigurationTests {
    @Test("A URL gives the server, the user, the password and the database")
    func whole() throws {
        let whole = try #require(RedisConfiguration(url: "redis://chat:p%40ss%2Fword@redis.internal:6380/3"))
        #expect(whole.server == .host("redis.internal", port: 6380))
        #expect(whole.user == "chat" && whole.password == "p@ss/word" && whole.database == 3)
        #expect(whole.description == "redis://redis.internal:6380/3")

        let short = try #require(RedisConfiguration(url: "redis://localhost"))
        #expect(short.server == .host("localhost", port: 6379))
        #expect(short.user == nil && short.password == nil && short.database == 0)

        let alone = try #require(RedisConfiguration(url: "redis://:secret@[::1]:7000/"))
        #expect(alone.server == .host("::1", port: 7000))
        #expect(alone.user == nil && alone.password == "secret")

        let local = try #require(RedisConfiguration(url: "unix:///run/redis.sock?db=2"))
        #expect(local.server == .unixPath("/run/redis.sock") && local.database == 2)
    }

    @Test(
        "A URL of another form is refused",
        arguments: [
            "", "localhost:6379", "rediss://localhost", "redis://", "redis://localhost:port", "redis://localhost:0",
            "redis://user@localhost", "redis://:p%4@localhost", "redis://localhost/x", "redis://localhost/-1",
            "redis://[::1", "redis://[::1]x", "unix://relative", "unix:///a?db=x", "redis://localhost:70000",
        ])
    func refused(url: String) {
        #expect(RedisConfiguration(url: url) == nil)
    }
}
