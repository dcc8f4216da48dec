import ServiceSupport
import Synchronization
import TestSupport
import Testing
import Wire

@testable import realtime_gateway

@Suite("Catching up", .serialized)
struct CatchUpTests {
    private static let namespace = "/ws-channel-7"
    private static let count = 500

    /// A message as long as one may be, in Korean: 30 KB.
    private static func long(_ number: Int) -> String { "\(number) " + String(repeating: "가", count: 9_990) }

    private static func numbers(_ texts: [String]) -> [Int] { texts.map { Int($0.prefix { $0 != " " }) ?? 0 } }

    /// Nobody hears of these: a socket gets them when it catches up.
    private static func writeLongOnes(_ harness: GatewayHarness, _ count: Int = count) async throws {
        for number in 1...count { try await harness.say(long(number), isHeard: false) }
    }

    @Test(
        "A session that missed 500 messages of 10,000 characters gets each once and in order",
        arguments: ["gathering", "native"])
    func long(_ profile: String) async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode { node in
                try await Self.writeLongOnes(harness)
                try await harness.tellHistory(1001, 0)
                let client = try await SocketClient.joined(
                    Self.namespace, port: node.port, token: harness.token(1, profile))
                try await client.until(within: .seconds(120), "all of it") { $0.events.count >= Self.count }
                try await harness.say("501 more")
                try await client.until("the next") { $0.events.count > Self.count }
                #expect(Self.numbers(client.record.texts(Self.namespace)) == Array(1...Self.count + 1))
                #expect(!client.record.isEnded)
            }
        }
    }

    @Test("A polling client catches up once and in order", arguments: ["gathering", "native"])
    func polling(_ profile: String) async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode(["ping_interval": "50s"]) { node in
                try await Self.writeLongOnes(harness)
                try await harness.tellHistory(1001, 0)
                let client = try await PollingClient.open(port: node.port, token: harness.token(1, profile))
                #expect(try await client.post("40\(Self.namespace),", port: node.port).status == 200)
                var numbers: [Int] = []
                while numbers.count < Self.count {
                    let reply = try await client.poll(port: node.port)
                    try #require(reply.status == 200, "after \(numbers.count)")
                    numbers += try Self.events(in: reply.text)
                }
                #expect(numbers == Array(1...Self.count))
            }
        }
    }

    /// The numbers of the messages in the body of a poll.
    private static func events(in body: String) throws -> [Int] {
        let texts = try body.split(separator: "\u{1E}").compactMap { packet -> String? in
            guard packet.hasPrefix("42\(namespace),") else { return nil }
            return try JSONValue(parsing: String(packet.dropFirst(namespace.count + 3)))[1]?["content"]?.string
        }
        return numbers(texts)
    }

    @Test("A backfill of long messages reaches live sockets once and in order")
    func healed() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode { node in
                let clients = [
                    try await harness.listener(1, port: node.port),
                    try await harness.reader(2, "native", port: node.port, in: GatewayHarness.channel),
                ]
                try await Self.writeLongOnes(harness, 200)
                try await harness.say("201 heard")
                for client in clients {
                    try await client.until(within: .seconds(120), "all of it") { $0.events.count >= 201 }
                    #expect(Self.numbers(client.record.texts(Self.namespace)) == Array(1...201))
                    #expect(!client.record.isEnded)
                }
            }
        }
    }

    @Test(
        "A reader that takes nothing while it catches up is cut off, and the next socket goes on where that one was",
        arguments: ["gathering", "native"])
    func stalled(_ profile: String) async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode(["ping_interval": "30s", "ping_timeout": "30s", "reader_patience": "1s"]) {
                node in
                try await Self.writeLongOnes(harness)
                try await harness.tellHistory(1001, 0)
                let headers = [("Authorization", harness.token(1, profile))]
                let stalled = try SocketClient(port: node.port, headers: headers, isReading: false)
                try stalled.join(Self.namespace)
                // It may enter the room and be cut off while the machine stands still.
                let lastSeen = Mutex(ContinuousClock.now)
                try await eventually("its end at the node") {
                    let now = ContinuousClock.now
                    let page = try await node.metrics()
                    if page.contains(#"maru_sockets_cut_off_total{reason="slow reader"} 1"#) { return true }
                    lastSeen.withLock { $0 = now }
                    return false
                }
                try await eventually("nobody in the room") {
                    try await harness.redis.command("ZCARD", "presence:channel-7") == ["0"]
                }
                stalled.startReading()
                try await stalled.until("its end") { $0.isEnded }
                // The gateway holds the connection for five seconds, in which the client can read the code.
                let time = ContinuousClock.now - lastSeen.withLock(\.self)
                #expect(stalled.record.closeCode == 1013 || time > .seconds(5))
                let got = Self.numbers(stalled.record.texts(Self.namespace))
                #expect(got == Array(1...got.count) && got.count < Self.count)
                let position = try await harness.redis.command("HGET", "position:1001:channel-7", "seq")
                #expect(try #require(Int(position[0])) <= got.count)
                let next = try await SocketClient.joined(
                    Self.namespace, port: node.port, token: harness.token(1, profile))
                try await next.until(within: .seconds(120), "the rest") {
                    $0.texts(Self.namespace).last?.hasPrefix("\(Self.count) ") ?? false
                }
                let rest = Self.numbers(next.record.texts(Self.namespace))
                // Unconfirmed messages come again where repeats are harmless.
                #expect(rest == Array((profile == "native" ? 1 : got.count + 1)...Self.count))
            }
        }
    }
}
