import Contract
import EventLoop
import Glibc
import Redis
import ServiceKit
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import realtime_gateway

@Suite("Several nodes", .serialized)
struct NodesTests {
    private static let namespace = "/ws-channel-7"

    /// Runs `body` with two nodes that know of each other, for however long they stand still.
    private static func withNodes(
        _ settings: [String: String] = [:],
        _ body: (GatewayHarness, ServiceUnderTest, ServiceUnderTest) async throws -> Void
    ) async throws {
        let assemble: Service.Assembly = {
            try await App.assemble(
                $0, nodes: NodeDirectory.Times(lifetime: .seconds(3600)), tunnelTimeout: .seconds(30).patiently)
        }
        try await GatewayHarness.use { harness in
            try await harness.withNode(settings.merging(["node": "a"]) { $1 }, assembledBy: assemble) { first in
                try await harness.withNode(settings.merging(["node": "b"]) { $1 }, assembledBy: assemble) { second in
                    for node in ["a", "b"] {
                        try await eventually {
                            try await harness.redis.command("EXISTS", "gateway:\(node)") == ["1"]
                        }
                    }
                    try await body(harness, first, second)
                }
            }
        }
    }

    @Test("A polling session continues at any node that its requests reach")
    func polling() async throws {
        try await Self.withNodes { harness, first, second in
            let client = try await PollingClient.open(port: first.port, token: harness.token(1))
            #expect(client.sid.hasPrefix("a."))
            try await harness.tellHistory(1001, 0)
            #expect(try await client.post("40\(Self.namespace),", port: second.port).text == "ok")
            _ = try await client.poll(until: "40\(Self.namespace),", ports: [second.port])
            try await harness.say("안녕")
            let got = try await client.poll(until: "안녕", ports: [second.port, first.port])
            #expect(got.contains("42\(Self.namespace),[\"channel\","))
        }
    }

    @Test("Polls that wait at another node hold up no request that is relayed there")
    func manyPolls() async throws {
        try await Self.withNodes(["ping_interval": "50s", "ping_timeout": "50s"]) { harness, first, second in
            var waiting: [PollingClient] = []
            for _ in 0..<40 {
                waiting.append(try await PollingClient.open(port: first.port, token: harness.token(1)))
            }
            try await withThrowingTaskGroup(of: Int?.self) { group in
                for client in waiting { group.addTask { try await client.poll(port: second.port).status } }
                // All of these before any of the polls ends.
                group.addTask {
                    for _ in 0..<20 {
                        let other = try await PollingClient.open(port: first.port, token: harness.token(2))
                        _ = try await other.post("40\(Self.namespace),", port: second.port)
                    }
                    return nil
                }
                let firstDone = try await group.next()
                #expect(firstDone.map { $0 == nil } == true, "a poll ended first")
                for client in waiting { #expect(try await client.post("1", port: first.port).status == 200) }
                for try await status in group { #expect(status == 200) }
            }
        }
    }

    /// A session that began by polling at one node and goes on by a WebSocket at another.
    private static func upgraded(
        _ harness: GatewayHarness, from first: ServiceUnderTest, to second: ServiceUnderTest
    ) async throws -> (PollingClient, SocketClient) {
        let polling = try await PollingClient.open(port: first.port, token: harness.token(1))
        let socket = try SocketClient(port: second.port, sid: polling.sid)
        try socket.send("2probe")
        try await socket.until("a probe's answer") { $0.others.contains("3probe") }
        try socket.send("5")
        return (polling, socket)
    }

    @Test("A WebSocket that reaches another node upgrades its session and carries on there")
    func upgrade() async throws {
        try await Self.withNodes { harness, first, second in
            let (_, socket) = try await Self.upgraded(harness, from: first, to: second)
            try socket.join(Self.namespace)
            try await socket.until("a way in") { $0.joined.contains(Self.namespace) }
            try await harness.tellHistory(1001, 0)
            for number in 1...200 { try await harness.say("\(number) " + String(repeating: "가", count: 1000)) }
            try await socket.until("200 messages") { $0.texts(Self.namespace).count == 200 }
            // Pings and pongs pass, too: each ping follows the pong before it.
            let pings = socket.record.pings
            try await socket.until("more heartbeats") { $0.pings >= pings + 4 }
            try await harness.say("last")
            try await socket.until("the last") { $0.texts(Self.namespace).last == "last" }
        }
    }

    @Test("The end of a relayed WebSocket ends its session, and the end of its session the WebSocket")
    func ends() async throws {
        try await Self.withNodes { harness, first, second in
            let (polling, socket) = try await Self.upgraded(harness, from: first, to: second)
            try socket.send("1")
            try await socket.until("its end") { $0.isEnded }
            #expect(try await polling.poll(port: second.port).text.contains("Session ID unknown"))
        }
    }

    @Test("A polling session continues at another node while Redis is away")
    func withoutRedis() async throws {
        try await Self.withNodes { harness, first, second in
            let client = try await PollingClient.open(port: first.port, token: harness.token(1))
            #expect(try await client.post("40\(Self.namespace),", port: second.port).text == "ok")
            await harness.redis.kill()
            // Longer than an address that was asked for counts as new.
            let end = ContinuousClock.now + .milliseconds(1500)
            while ContinuousClock.now < end {
                let reply = try await client.poll(port: second.port)
                guard reply.status == 200 else {
                    Issue.record("\(reply.status) \(reply.text)")
                    break
                }
                if reply.text.split(separator: "\u{1E}").contains("2") {
                    #expect(try await client.post("3", port: second.port).text == "ok")
                }
            }
        }
    }

    @Test("A session of a node that has died is unknown")
    func deadOwner() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode(["node": "b"]) { node in
                let other = try await harness.startProcess(["node": "a"])
                let client = try await PollingClient.open(port: other.port, token: harness.token(1))
                await other.process.stop(SIGKILL)
                let reply = try await client.poll(port: node.port)
                #expect(reply.status == 400)
                #expect(reply.text == #"{"code":1,"message":"Session ID unknown"}"#)
                let nobody = try await HTTPCall.get(
                    port: node.port, "/socket.io/?EIO=4&transport=polling&sid=nobody.0.AAAAAAAAAAAAAAAAAAAA")
                #expect(nobody.text == reply.text)
            }
        }
    }

    @Test("A forwarded request needs the service credential, and opens no session")
    func credential() async throws {
        try await Self.withNodes { harness, first, _ in
            let client = try await PollingClient.open(port: first.port, token: harness.token(1))
            let target = "/internal/socket.io?EIO=4&transport=polling"
            let port = first.running.internalAddress.port
            #expect(try await HTTPCall.get(port: port, "\(target)&sid=\(client.sid)").status == 401)
            #expect(try await HTTPCall.get(port: first.port, "\(target)&sid=\(client.sid)").status == 400)
            #expect(try await first.internalCall("GET", target).status == 400)
            // The session is as it was.
            #expect(try await client.post("40\(Self.namespace),", port: first.port).text == "ok")
        }
    }

    @Test("With too many addresses in its cache, the directory forgets them and asks again")
    func cachedAddresses() async throws {
        try await SessionCursorStoreTests.use { store, _ in
            let directory = NodeDirectory(redis: store.redis, mostCached: 2)
            for node in ["m1", "m2"] {
                try await store.redis.run(RedisCommand("SET", "gateway:\(node)", "here"))
                #expect(await directory.address(of: node) == "here")
                try await store.redis.run(RedisCommand("DEL", "gateway:\(node)"))
            }
            #expect(await directory.address(of: "m3") == nil)
            #expect(await directory.address(of: "m1") == nil)
        }
    }

    @Test("The address of a node is written again for a Redis that comes back empty, and is known to others meanwhile")
    func emptyRedis() async throws {
        let server = try await RedisServer.start()
        try await SessionCursorStoreTests.use(at: server) { store, _ in
            // The regular renewal would come too late, and a return counts as recent however slow the machine is.
            let times = NodeDirectory.Times(
                lifetime: .seconds(3600), renewal: .seconds(3600), cache: .zero, rewriting: .seconds(3600))
            let own = NodeDirectory(redis: store.redis, times: times)
            let other = NodeDirectory(redis: store.redis, times: times)
            own.begin("m1", at: "here", on: EventLoop.current!)
            try await store.redis.run(RedisCommand("SET", "gateway:m2", "there"))
            #expect(await other.address(of: "m1") == "here")
            #expect(await other.address(of: "m2") == "there")
            try await server.restart()
            try await eventually("a new address") { try await server.command("EXISTS", "gateway:m1") == ["1"] }
            #expect(await other.address(of: "m2") == "there")
            #expect(await other.address(of: "m3") == nil)
        }
        await server.stop()
    }

    @Test("A dead node soon leaves the directory")
    func expiry() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode(["node": "a"]) { _ in
                // A node that stood still for longer writes its address again.
                try await eventually("an address that expires") {
                    let left = try await harness.redis.command("PTTL", "gateway:a")
                    return (1...15_000).contains(Int(left[0]) ?? 0)
                }
            }
        }
    }
}
