import Contract
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import realtime_gateway

@Suite("Entry", .serialized)
struct EntryTests {
    private static let namespace = "/ws-channel-7"

    @Test(
        "A message after the acknowledged join reaches the socket, even the first one in its room",
        arguments: ["gathering", "native"])
    func first(_ profile: String) async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode { node in
                // Long enough for a message to be written before chat-service looks how far the room is.
                harness.peers.change { $0.headsTake = .milliseconds(300) }
                let client = try await SocketClient.joined(
                    Self.namespace, port: node.port, token: harness.token(1, profile))
                try await harness.say("hello")
                try await client.until("the message") { $0.texts(Self.namespace) == ["hello"] }
            }
        }
    }

    @Test("A socket that joins while Redis is away gets later messages once Redis is back")
    func redisAway() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode { node in
                try await harness.say("before", isHeard: false)
                await harness.redis.kill()
                let client = try await SocketClient.joined(Self.namespace, port: node.port, token: harness.token(1))
                try await harness.say("meanwhile", isHeard: false)
                try await harness.redis.start()
                try await client.until("the message") { $0.texts(Self.namespace) == ["meanwhile"] }
            }
        }
    }

    @Test("A member removed while Redis is away, after the access check, receives nothing")
    func removedUnheard() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode { node in
                await harness.redis.kill()
                let removed = try await SocketClient.joined(Self.namespace, port: node.port, token: harness.token(1))
                let other = try await SocketClient.joined(Self.namespace, port: node.port, token: harness.token(2))
                harness.peers.change { _ = $0.workspace.remove(1) }
                try await harness.say("secret", isHeard: false)
                try await harness.redis.start()
                try await removed.until("the way out") { $0.left.contains(Self.namespace) }
                try await other.until("the message") { $0.texts(Self.namespace) == ["secret"] }
                #expect(removed.record.texts(Self.namespace) == [])
            }
        }
    }

    @Test(
        "While nobody can tell whether a socket may enter it waits, and comes in by itself when that is known",
        arguments: [GatewayHarness.channel, GatewayHarness.dm])
    func peersAway(_ room: RoomID) async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode { node in
                let namespace = Namespace.name(of: room)
                harness.peers.change { $0.isAway = true }
                let client = try SocketClient(port: node.port, headers: [("Authorization", harness.token(1))])
                try client.join(namespace)
                try await client.isHeard()
                #expect(client.record.joined.isEmpty && client.record.refused[namespace] == nil)
                harness.peers.change { $0.isAway = false }
                try await client.until("a way in") { $0.joined.contains(namespace) }
                try await harness.say("hello", in: room)
                try await client.until("the message") { $0.texts(namespace) == ["hello"] }
            }
        }
    }

    @Test("A join waits until auth-service can check the identity")
    func authAway() async throws {
        try await GatewayHarness.use { harness in
            harness.peers.change { $0.isAway = true }
            try await harness.withNode { node in
                let client = try SocketClient(port: node.port, headers: [("Authorization", harness.token(1))])
                try client.join(Self.namespace)
                try await harness.peersAreAsked()
                #expect(client.record.joined.isEmpty && client.record.refused.isEmpty)
                harness.peers.change { $0.isAway = false }
                try await client.until("a way in") { $0.joined.contains(Self.namespace) }
            }
        }
    }

    @Test("A waiting join is refused once it is known that the user may not enter")
    func strangerWaits() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode { node in
                harness.peers.change { $0.isAway = true }
                let client = try SocketClient(port: node.port, headers: [("Authorization", harness.token(99))])
                try client.join(Self.namespace)
                try await client.isHeard()
                harness.peers.change { $0.isAway = false }
                try await client.until("a refusal") { $0.refused[Self.namespace] == "Forbidden" }
                #expect(client.record.joined.isEmpty)
            }
        }
    }

    @Test("A user is refused after losing access before the head of the room is known")
    func removedWhileWaiting() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode { node in
                harness.peers.change { $0.headsAway = true }
                let client = try SocketClient(port: node.port, headers: [("Authorization", harness.token(1))])
                try client.join(Self.namespace)
                try await eventually("a question for the head") {
                    harness.peers.count("/internal/rooms/heads") > 0
                }
                harness.peers.change { _ = $0.workspace.remove(1) }
                try await harness.redis.command(
                    "PUBLISH", "invalidate:access", #"{"workspace_id":"3","user_id":"1"}"#)
                try await client.until("a refusal") { $0.refused[Self.namespace] == "Forbidden" }
                harness.peers.change { $0.headsAway = false }
                // It may ask again.
                harness.peers.change { _ = $0.workspace.insert(1) }
                try client.join(Self.namespace)
                try await client.until("a way in") { $0.joined.contains(Self.namespace) }
            }
        }
    }

    @Test("A room out of reach is entered when its head can be read, and holds up no other room")
    func lostRoom() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode { node in
                harness.peers.change { $0.lostRooms = ["channel-8"] }
                let client = try SocketClient(port: node.port, headers: [("Authorization", harness.token(1))])
                for namespace in ["/ws-channel-8", Self.namespace] { try client.join(namespace) }
                try await client.until("a way in") { $0.joined.contains(Self.namespace) }
                let count = harness.peers.count("/internal/rooms/heads")
                try await eventually("another question for the head") {
                    harness.peers.count("/internal/rooms/heads") > count
                }
                #expect(client.record.joined == [Self.namespace])
                harness.peers.change { $0.lostRooms = [] }
                try await client.until("a way in") { $0.joined.contains("/ws-channel-8") }
            }
        }
    }

    @Test("A client that leaves while its join waits is not let in; one that joins again is, once")
    func leaves() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode { node in
                harness.peers.change { $0.isAway = true }
                let client = try SocketClient(port: node.port, headers: [("Authorization", harness.token(1))])
                for namespace in [Self.namespace, "/ws-channel-8"] {
                    try client.join(namespace)
                    try client.leave(namespace)
                }
                try client.join("/ws-channel-8")
                try await client.isHeard()
                #expect(client.record.joined.isEmpty)
                harness.peers.change { $0.isAway = false }
                try await client.until("a way in") { $0.joined == ["/ws-channel-8"] }
                for room in [GatewayHarness.channel, RoomID(ChannelID(8))] { try await harness.say("hello", in: room) }
                try await client.until("a message") { $0.events.count == 1 }
                try await harness.say("again", in: RoomID(ChannelID(8)))
                try await client.until("another") { $0.events.count >= 2 }
                #expect(client.record.texts("/ws-channel-8") == ["hello", "again"])
                #expect(client.record.texts(Self.namespace) == [])
            }
        }
    }

    @Test("A client with too many unanswered joins is disconnected")
    func bounded() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode { node in
                harness.peers.change { $0.isAway = true }
                let client = try SocketClient(port: node.port, headers: [("Authorization", harness.token(1))])
                for _ in 0..<1200 where !client.record.isEnded {
                    try? client.join(Self.namespace)
                    try? client.leave(Self.namespace)
                }
                try await client.until("its end") { $0.isEnded }
            }
        }
    }
}

extension GatewayHarness {
    /// Returns after a call to the peers has failed.
    fileprivate func peersAreAsked() async throws {
        let asked = peers.count("")
        try await eventually("a question") { self.peers.count("") > asked }
    }
}

extension SocketClient {
    /// Returns when the gateway has taken all packets so far: it takes them in order, and refuses an invalid namespace at
    /// once. It may not have the keys of tokens yet, and then checks no access.
    fileprivate func isHeard() async throws {
        try join("/nowhere")
        try await until("all that was asked") { $0.refused["/nowhere"] != nil }
    }
}
