import Contract
import Glibc
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import realtime_gateway

@Suite("Session cursors", .serialized)
struct SessionCursorTests {
    private static let namespace = "/ws-channel-7"

    @Test(
        "After a gateway was killed, messages that may have been received are not sent again, and later ones are not lost"
    )
    func killed() async throws {
        try await GatewayHarness.use { harness in
            let first = try await harness.startProcess(["node": "a"])
            let client = try await harness.listener(1, port: first.port)
            for number in 1...20 { try await harness.say("\(number)") }
            try await client.until("20 messages") { $0.texts(Self.namespace).count == 20 }
            // It is killed at once, so nothing is written any more.
            await first.process.stop(SIGKILL)
            for number in 21...25 { try await harness.say("\(number)") }
            let second = try await harness.startProcess(["node": "b"])
            let again = try await SocketClient.joined(Self.namespace, port: second.port, token: harness.token(1))
            try await again.until("5 messages") { $0.texts(Self.namespace).count >= 5 }
            try await harness.say("26")
            try await again.until("the last") { $0.texts(Self.namespace).last == "26" }
            #expect(again.record.texts(Self.namespace) == (21...26).map(String.init))
            await second.process.stop()
        }
    }

    @Test("Unconfirmed messages are sent again where repeats are harmless")
    func harmless() async throws {
        try await GatewayHarness.use { harness in
            // The silent one stays for so long.
            try await harness.withNode(["ping_timeout": "50s"]) { node in
                let port = node.port
                try await harness.tellHistory(1001, 0)
                let client = try await SocketClient.joined(
                    Self.namespace, port: port, token: harness.token(1, "native"))
                try await harness.say("1")
                try await client.until("a message") { $0.texts(Self.namespace) == ["1"] }
                try await eventually("its confirmation") {
                    try await harness.redis.command("HGET", "position:1001:channel-7", "seq") == ["1"]
                }
                // From here on it behaves like a client with a lost connection: messages may arrive or not.
                let silent = try SocketClient(
                    port: port, headers: [("Authorization", harness.token(1, "native"))], isAnswering: false)
                try silent.join(Self.namespace)
                try await silent.until("a way in") { $0.joined.contains(Self.namespace) }
                client.drop()
                try await client.until("its end") { $0.isEnded }
                try await harness.say("2")
                try await silent.until("a message") { $0.texts(Self.namespace) == ["2"] }
                silent.drop()
                let again = try await SocketClient.joined(
                    Self.namespace, port: port, token: harness.token(1, "native"))
                try await harness.say("3")
                try await again.until("both") { $0.texts(Self.namespace) == ["2", "3"] }
            }
        }
    }

    @Test("A reservation is in Redis before its message is sent")
    func reservedFirst() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode { node in
                let client = try await harness.listener(1, port: node.port)
                let live = try await harness.redis.command("HGET", "position:1001:channel-7", "live")[0]
                let key = "sent:\(live.prefix { $0 != "/" }):channel-7"
                for number in 1...30 {
                    try await harness.say("\(number)")
                    try await client.until("message \(number)") { $0.texts(Self.namespace).count == number }
                    let sent = try await harness.redis.command("GET", key)
                    #expect(Int(sent[0]) ?? 0 >= number)
                }
            }
        }
    }

    @Test("A socket that leaves writes its cursor, even if Redis has lost the record")
    func flushed() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode { node in
                let client = try await harness.listener(1, port: node.port)
                try await harness.redis.command("FLUSHALL")
                try await harness.say("1")
                try await client.until("a message") { $0.texts(Self.namespace) == ["1"] }
                client.drop()
                // With its last socket the room is heard no more.
                try await eventually("its leaving") {
                    try await harness.redis.command("PUBSUB", "NUMSUB", "room:channel-7").last == "0"
                }
                try await harness.say("2")
                let again = try await SocketClient.joined(Self.namespace, port: node.port, token: harness.token(1))
                try await harness.say("3")
                try await again.until("both") { $0.texts(Self.namespace).last == "3" }
                #expect(again.record.texts(Self.namespace) == ["2", "3"])
            }
        }
    }

    @Test("Cursors are kept for position_memory, and reservations longer")
    func memory() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode(["position_memory": "48h"]) { node in
                let client = try await harness.listener(1, port: node.port)
                try await harness.say("1")
                try await client.until("a message") { $0.texts(Self.namespace) == ["1"] }
                let live = try await harness.redis.command("HGET", "position:1001:channel-7", "live")[0]
                let position = try await harness.redis.command("TTL", "position:1001:channel-7")
                let sent = try await harness.redis.command("TTL", "sent:\(live.prefix { $0 != "/" }):channel-7")
                #expect((172_000...172_800).contains(Int(position[0]) ?? 0))
                #expect(Int(sent[0]) ?? 0 > 172_800)
            }
        }
    }

    @Test("A late history report does not move a cursor back")
    func late() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode { node in
                for number in 1...10 { try await harness.say("\(number)") }
                try await harness.tellHistory(1001, 10)
                let client = try await SocketClient.joined(
                    Self.namespace, port: node.port, token: harness.token(1))
                try await harness.say("11")
                try await client.until("a message") { $0.texts(Self.namespace) == ["11"] }
                try await harness.redis.command(
                    "PUBLISH", "positions", #"{"session":"1001","room":"channel-7","seq":4}"#)
                try await harness.say("12")
                try await client.until("another") { $0.texts(Self.namespace).count >= 2 }
                #expect(client.record.texts(Self.namespace) == ["11", "12"])
            }
        }
    }

    @Test(
        "A client that connects and then fetches history gets no message twice, even if the hint is lost",
        arguments: [true, false])
    func connectThenFetch(isHeard: Bool) async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode { node in
                let port = node.port
                for user in Int64(1)...20 {
                    let early = try await harness.listener(user, port: port)
                    try await harness.say("1")
                    try await early.until("a message") { $0.texts(Self.namespace) == ["1"] }
                    early.drop()
                    try await early.until("its end") { $0.isEnded }
                    try await harness.say("2")
                    let head = try #require(harness.peers.now.messages[GatewayHarness.channel]?.last?.body.seq)
                    let began = ContinuousClock.now
                    let client = try await SocketClient.joined(Self.namespace, port: port, token: harness.token(user))
                    try await harness.tellHistory(user + 1000, head, isHeard: isHeard)
                    // The socket waits a second for it; on a busy machine it may have come too late.
                    let isInTime = ContinuousClock.now - began < .milliseconds(500)
                    try await harness.say("3")
                    try await client.until("a message") { !$0.texts(Self.namespace).isEmpty }
                    guard isInTime else { continue }
                    #expect(client.record.texts(Self.namespace) == ["3"])
                    return
                }
                Issue.record("no history was fetched in time")
            }
        }
    }

    @Test("Messages of a history reply that only the fallback table knows are not sent again")
    func untold() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode { node in
                let early = try await harness.listener(1, port: node.port)
                try await harness.say("1")
                try await early.until("a message") { $0.texts(Self.namespace) == ["1"] }
                early.drop()
                try await early.until("its end") { $0.isEnded }
                for number in 2...3 { try await harness.say("\(number)") }
                harness.peers.change { $0.told[1001] = 3 }
                let client = try await SocketClient.joined(Self.namespace, port: node.port, token: harness.token(1))
                try await harness.say("4")
                try await client.until("a message") { !$0.texts(Self.namespace).isEmpty }
                #expect(client.record.texts(Self.namespace) == ["4"])
            }
        }
    }

    @Test("A session that read history while Redis was away misses no later message")
    func readWithoutRedis() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode { node in
                for number in 1...3 { try await harness.say("\(number)") }
                harness.peers.change { $0.told[1001] = 2 }
                let client = try await SocketClient.joined(
                    Self.namespace, port: node.port, token: harness.token(1, "native"))
                try await harness.say("4")
                try await client.until("a message") { $0.texts(Self.namespace).last == "4" }
                #expect(client.record.texts(Self.namespace) == ["3", "4"])
            }
        }
    }
}
