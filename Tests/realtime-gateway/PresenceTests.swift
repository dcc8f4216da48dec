import Contract
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import realtime_gateway

@Suite("Presence", .serialized)
struct PresenceTests {
    private static let key = "presence:channel-7"

    @Test("Presence that is not renewed, as of a dead gateway, expires")
    func expiry() async throws {
        try await GatewayHarness.use { harness in
            let times = Presence.Times(lifetime: .seconds(3), renewal: .seconds(3600))
            try await harness.withNode(presence: times) { node in
                let monitor = try RawConnection(port: harness.redis.port)
                try monitor.send("MONITOR\r\n")
                _ = try monitor.receive(until: "+OK\r\n")
                let client = try SocketClient(port: node.port, headers: [("Authorization", harness.token(1))])
                try client.join("/ws-channel-7")
                // The entry may come and go while the machine stands still.
                let said = try await onOwnThread {
                    Result { try monitor.receive(until: #""PEXPIRE" "presence:channel-7""#) }
                }.get()
                #expect(said.contains(#""ZADD" "presence:channel-7""#))
                try await eventually("nobody") { try await harness.redis.command("EXISTS", Self.key) == ["0"] }
                #expect(!client.record.isEnded)
            }
        }
    }

    @Test("A Redis that comes back empty has the presence again at once")
    func emptyRedis() async throws {
        try await GatewayHarness.use { harness in
            let times = Presence.Times(lifetime: .seconds(3600), renewal: .seconds(3600))
            try await harness.withNode(presence: times) { node in
                _ = try await harness.listener(1, port: node.port)
                try await eventually("one who is there") {
                    try await harness.redis.command("ZCARD", Self.key) == ["1"]
                }
                try await harness.redis.command("FLUSHALL")
                await harness.redis.kill()
                try await harness.redis.start()
                try await eventually("one who is there again") {
                    try await harness.redis.command("ZCARD", Self.key) == ["1"]
                }
            }
        }
    }

    @Test("A user that left while Redis took nothing is not present once Redis is back")
    func lostDeparture() async throws {
        try await GatewayHarness.use { harness in
            let times = Presence.Times(lifetime: .seconds(3600), renewal: .seconds(3600))
            try await harness.withNode(presence: times) { node in
                let client = try SocketClient(port: node.port, headers: [("Authorization", harness.token(1))])
                try client.join("/ws-channel-7")
                try await eventually("one who is there") {
                    try await harness.redis.command("ZCARD", Self.key) == ["1"]
                }
                try await harness.redis.command("ACL", "SETUSER", "default", "-zrem")
                try client.leave("/ws-channel-7")
                try await eventually("a refused departure") {
                    try await harness.redis.command("ACL", "LOG").contains("zrem")
                }
                try await harness.redis.command("ACL", "SETUSER", "default", "+zrem")
                try await harness.redis.command("CLIENT", "KILL", "TYPE", "normal")
                try await eventually("nobody") { try await harness.redis.command("EXISTS", Self.key) == ["0"] }
            }
        }
    }

    @Test("A user with expired presence gets a push")
    func expired() async throws {
        try await GatewayHarness.use { harness in
            let folder = TemporaryFolder("maru-push")
            harness.give()
            try await harness.withNode(try harness.pushSettings(folder)) { _ in
                try await eventually("a living loop") {
                    try await harness.redis.command("ZCARD", "online-loops") != ["0"]
                }
                let loops = try await harness.redis.command("ZRANGE", "online-loops", "0", "0")
                let loop = try #require(loops.first)
                // The key is still there, as it is renewed for others.
                let past = Timestamp.now.milliseconds - 1
                try await harness.redis.command("ZADD", "presence:channel-8", "\(past)", "1@\(loop)")
                try await harness.push("1", in: RoomID(ChannelID(8)))
                try await harness.settled(count: 1)
                #expect(harness.peers.now.pushes.map(\.device) == ["d1"])
            }
        }
    }

    @Test("Presence is renewed before it expires")
    func renewal() async throws {
        try await GatewayHarness.use { harness in
            let lifetime = Duration.seconds(2).patiently
            let times = Presence.Times(lifetime: lifetime, renewal: .milliseconds(200))
            try await harness.withNode(presence: times) { node in
                _ = try await harness.listener(1, port: node.port)
                @Sendable func end() async throws -> Timestamp? {
                    let entry = try await harness.redis.command("ZRANGE", Self.key, "0", "-1", "WITHSCORES")
                    #expect(entry.isEmpty || entry[0].hasPrefix("1@"))
                    return entry.last.flatMap { Int64($0) }.map { Timestamp(milliseconds: $0) }
                }
                // An entry names its end, and so when it was written. A node that stood still has written one too late.
                try await eventually("a renewal before the end") {
                    guard let first = try await end() else { return false }
                    try await eventually("a later end") { try await end().map { $0 > first } ?? false }
                    return try await end().map { $0 - lifetime < first } ?? false
                }
            }
        }
    }
}
