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

    @Test("The URL of a cluster gives some of its nodes and the credentials of all")
    func cluster() throws {
        let nodes = try #require(RedisConfiguration(url: "redis+cluster://chat:p%40ss@r1:7000,[::1]:7001,r3"))
        #expect(
            nodes.seeds == [.host("r1", port: 7000), .host("::1", port: 7001), .host("r3", port: 6379)])
        #expect(nodes.user == "chat" && nodes.password == "p@ss" && nodes.database == 0)
        #expect(nodes.description == "redis+cluster://r1:7000,::1:7001,r3:6379")
        #expect(try #require(RedisConfiguration(url: "redis://r1:7000")).seeds.isEmpty)
    }

    @Test(
        "A URL of another form is refused",
        arguments: [
            "", "localhost:6379", "rediss://localhost", "redis://", "redis://localhost:port", "redis://localhost:0",
            "redis://user@localhost", "redis://:p%4@localhost", "redis://localhost/x", "redis://localhost/-1",
            "redis://[::1", "redis://[::1]x", "redis+cluster://", "redis+cluster://r1,", "redis+cluster://r1:x",
            "redis+cluster://r1,r2/1", "redis+cluster://r1,unix:///a", "unix://relative", "unix:///a?db=x",
            "redis://localhost:70000",
        ])
    func refused(url: String) {
        #expect(RedisConfiguration(url: url) == nil)
    }
}
