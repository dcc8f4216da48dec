import Contract
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import realtime_gateway

@Suite("Limits and insight", .serialized)
struct LimitTests {
    private static let namespace = "/ws-channel-7"

    /// A socket of user 2 on its way into the room that reads nothing.
    private static func slowReader(_ harness: GatewayHarness, _ node: ServiceUnderTest) async throws -> SocketClient {
        let slow = try SocketClient(
            port: node.port, headers: [("Authorization", harness.token(2, "native"))], isReading: false)
        try await harness.tellHistory(1002, 0)
        try slow.join(namespace)
        return slow
    }

    @Test("A slow reader is cut off at a bounded buffer with 1013, and its neighbours do not notice")
    func slowReader() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode(["ping_interval": "50s", "ping_timeout": "50s", "reader_patience": "1s"]) {
                node in
                let neighbour = try await harness.listener(1, port: node.port)
                let slow = try await Self.slowReader(harness, node)
                try await eventually("two in the room") {
                    try await harness.redis.command("ZCARD", "presence:channel-7") == ["2"]
                }
                // The kernel takes many of them for a connection; then the slow one falls behind, and has a second.
                let large = String(repeating: "x", count: 100_000)
                var count = 0
                var lastSeen = ContinuousClock.now
                while count < 500 {
                    let now = ContinuousClock.now
                    guard try await harness.redis.command("ZCARD", "presence:channel-7") == ["2"] else { break }
                    lastSeen = now
                    count += 1
                    try await harness.say("\(count) \(large)")
                    try await neighbour.until("message \(count)") { [count] in $0.events.count == count }
                }
                slow.startReading()
                try await slow.until("its end") { $0.isEnded }
                // The gateway holds the connection for five seconds, in which the client can read the code.
                #expect(slow.record.closeCode == 1013 || ContinuousClock.now - lastSeen > .seconds(5))
                #expect(slow.record.texts(Self.namespace).count < count)
                try await harness.say("\(count + 1) last")
                try await neighbour.until("the last") { [count] in $0.events.count == count + 1 }
                #expect(
                    neighbour.record.texts(Self.namespace).map { $0.prefix { $0 != " " } }
                        == (1...count + 1).map { Substring("\($0)") })
                #expect(!neighbour.record.isEnded)
            }
        }
    }

    @Test("The longest message reaches live sockets and those that catch up")
    func longest() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode { node in
                let live = try await harness.listener(1, port: node.port)
                let text = String(repeating: "🏴󠁧󠁢󠁥󠁮󠁧󠁿", count: 10_000)
                for number in 1...5 { try await harness.say("\(number) \(text)") }
                let late = try SocketClient(port: node.port, headers: [("Authorization", harness.token(2, "native"))])
                try await harness.tellHistory(1002, 0)
                try late.join(Self.namespace)
                for (name, client) in [("live", live), ("late", late)] {
                    try await client.until("all, \(name)") { $0.events.count == 5 }
                    #expect(client.record.texts(Self.namespace).allSatisfy { $0.hasSuffix(text) })
                }
            }
        }
    }

    @Test("A gateway subscribes to a room only while it has a socket in it")
    func hearing() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode { node in
                @Sendable func hearers() async throws -> String? {
                    try await harness.redis.command("PUBSUB", "NUMSUB", "room:channel-7").last
                }
                let clients = [
                    try await harness.listener(1, port: node.port), try await harness.listener(2, port: node.port),
                ]
                #expect(try await hearers() == "1")
                clients[0].drop()
                try await harness.say("1")
                try await clients[1].until("a message") { $0.texts(Self.namespace) == ["1"] }
                try clients[1].leave(Self.namespace)
                try await eventually("nobody who hears") { try await hearers() == "0" }
                #expect(!clients[1].record.isEnded)
            }
        }
    }

    @Test("Messages, joins and nesting of one client are bounded")
    func sizes() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode { node in
                let headers = [("Authorization", harness.token(1))]
                let large = try SocketClient(port: node.port, headers: headers)
                // Within the size, it is only a message that nobody understands.
                try? large.send("4" + String(repeating: "x", count: 8192))
                try await large.until("the large one's end") { $0.isEnded }
                let greedy = try SocketClient(port: node.port, headers: headers)
                for number in 1...300 { try? greedy.join("/ws-channel-\(number)") }
                try await greedy.until("the greedy one's end") { $0.isEnded }
                let deep = try SocketClient(port: node.port, headers: headers)
                try? deep.join(
                    "/", String(repeating: "{\"a\":", count: 500) + "1" + String(repeating: "}", count: 500))
                try await deep.until("the deep one's end") { $0.isEnded }
                let attached = try SocketClient(port: node.port, headers: headers)
                try? attached.send("499999-[\"a\"]")
                try await attached.until("the end of the one with attachments") { $0.isEnded }
                let polling = try await PollingClient.open(port: node.port, token: harness.token(1))
                let refused = try await polling.post("4" + String(repeating: "x", count: 8192), port: node.port)
                #expect(refused.status == 413)
                #expect(try await polling.post("40\(Self.namespace),", port: node.port).text == "ok")
            }
        }
    }

    @Test("Metrics count sockets by transport and profile, and deliveries")
    func insight() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode(["ping_interval": "30s", "ping_timeout": "30s"]) { node in
                let client = try await harness.listener(1, port: node.port)
                let other = try await harness.reader(2, "native", port: node.port, in: GatewayHarness.channel)
                _ = try await PollingClient.open(port: node.port, token: harness.token(3, "sooda"))
                try await harness.say("1", isHeard: false)
                try await harness.say("2")
                try await client.until("both") { $0.texts(Self.namespace) == ["1", "2"] }
                let expected = [
                    #"maru_sockets{transport="websocket",profile="gathering"} 1"#,
                    #"maru_sockets{transport="websocket",profile="native"} 1"#,
                    #"maru_sockets{transport="polling",profile="sooda"} 1"#,
                    "maru_socket_queue_bytes 0", "maru_deliveries_total ", "maru_heals_total ",
                    "maru_delivery_lag_seconds_bucket",
                ]
                try await eventually("a count of all") {
                    let page = try await node.metrics()
                    return expected.allSatisfy(page.contains)
                }
                other.drop()
                try await eventually("a count without the one that is gone") {
                    let page = try await node.metrics()
                    return page.contains(#"maru_sockets{transport="websocket",profile="native"} 0"#)
                        && page.contains(#"maru_sockets{transport="websocket",profile="gathering"} 1"#)
                }
            }
        }
    }

    @Test("Queued bytes of a slow reader are counted from when it falls behind until it reads")
    func waiting() async throws {
        try await GatewayHarness.use { harness in
            // No heartbeat comes in between.
            let settings = ["ping_interval": "50s", "ping_timeout": "50s", "reader_patience": "50s"]
            try await harness.withNode(settings) { node in
                let slow = try await Self.slowReader(harness, node)
                try await eventually("one in the room") {
                    try await harness.redis.command("ZCARD", "presence:channel-7") == ["1"]
                }
                @Sendable func queued() async throws -> Int {
                    let name = "maru_socket_queue_bytes "
                    let line = try await node.metrics().split(separator: "\n").first { $0.hasPrefix(name) }
                    return Int(line.flatMap { Double($0.dropFirst(name.count)) } ?? 0)
                }
                // The kernel takes many of them for a connection.
                let large = String(repeating: "x", count: 100_000)
                for number in 1...200 { try await harness.say("\(number) \(large)") }
                try await eventually("a count of what waits") { try await queued() > 0 }
                slow.startReading()
                try await eventually("nothing that waits") { try await queued() == 0 }
                try await slow.until("all") { $0.texts(Self.namespace).count == 200 }
            }
        }
    }
}
