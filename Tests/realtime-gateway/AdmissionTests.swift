import Contract
import EventLoop
import ServiceKit
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import realtime_gateway

@Suite("Admission", .serialized)
struct AdmissionTests {
    private static let namespace = "/ws-channel-7"

    @Test("An anonymous socket enters no room, unless a setting admits it")
    func anonymous() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode { node in
                let client = try SocketClient(port: node.port)
                try client.join(Self.namespace)
                try await client.until("a refusal") { $0.refused[Self.namespace] == "Unauthorized" }
            }
            try await harness.withNode(["allow_anonymous_sockets": "gen-2024-01"]) { node in
                let client = try SocketClient(port: node.port)
                try client.join(Self.namespace)
                try await client.until("a way in") { $0.joined.contains(Self.namespace) }
                // It has no session: it gets later messages, in the generation of the setting.
                try await eventually("a message") {
                    try await harness.say("hello")
                    return !client.record.events.isEmpty
                }
                #expect(client.record.events.first?.body["chat_id"]?.int != nil)
                #expect(client.record.events.first?.body["content"]?.string == "hello")
            }
        }
    }

    @Test("The gateway does not start with an unknown profile in its settings")
    func wrongProfile() async throws {
        try await GatewayHarness.use { harness in
            await #expect(throws: ConfigError.self) {
                try await harness.withNode(["allow_anonymous_sockets": "nobody"]) { _ in }
            }
        }
    }

    @Test(
        "A rate of 0 new sockets is refused with a readable message",
        arguments: ["handshake_rate", "handshake_burst"])
    func rateOfNone(_ name: String) async throws {
        try await GatewayHarness.use { harness in
            await #expect(throws: ConfigError("\(name) must be a number, 1 at least")) {
                try await harness.withNode([name: "0"]) { _ in }
            }
        }
    }

    @Test("An invalid node name is refused with a readable message")
    func nodeName() async throws {
        try await GatewayHarness.use { harness in
            for name in ["a.b", "gateway_1", "마루", String(repeating: "a", count: 25)] {
                await #expect(throws: ConfigError("node must be letters, digits and hyphens, 24 at most"), "\(name)") {
                    try await harness.withNode(["node": name]) { _ in }
                }
            }
        }
    }

    @Test("A node with the longest valid name opens sockets")
    func longestNodeName() async throws {
        try await GatewayHarness.use { harness in
            let name = String(repeating: "Gate-7", count: 4)
            try await harness.withNode(["node": name]) { node in
                let client = try await PollingClient.open(port: node.port, token: harness.token(1))
                #expect(client.sid.hasPrefix("\(name)."))
            }
        }
    }

    @Test("The gateway does not start with an invalid push key file, and names the setting")
    func keyFile() async throws {
        try await GatewayHarness.use { harness in
            let error = ConfigError("fcm_service_account: /dev/null is not a key file of a service account")
            await #expect(throws: error) {
                try await harness.withNode(["fcm_service_account": "/dev/null"]) { _ in }
            }
        }
    }

    @Test("The cookie of a session that was revoked two days ago opens no socket at a gateway that has just started")
    func revokedCookie() async throws {
        try await GatewayHarness.use { harness in
            harness.peers.change { state in
                state.revocations = [(1001, 1)]
                state.revocationTimes = [1001: .now - .seconds(2 * 86_400)]
            }
            try await harness.withNode { node in
                for (user, isLetIn) in [(Int64(1), false), (2, true)] {
                    let cookie = "maru_socket=" + harness.peers.tokens.socketCookie(user: user)
                    let client = try SocketClient(port: node.port, headers: [("Cookie", cookie)])
                    try client.join(Self.namespace)
                    try await client.until("an answer to \(user)") {
                        isLetIn ? $0.joined.contains(Self.namespace) : $0.refused[Self.namespace] == "Unauthorized"
                    }
                }
            }
        }
    }

    @Test("The cookie opens sockets for our own origin and those of the settings, and for no other")
    func origins() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode(["allowed_origins": "https://maru.example"]) { node in
                let cookie = ("Cookie", "maru_socket=" + harness.peers.tokens.socketCookie(user: 1, key: "native"))
                let cases: [(origin: String?, isLetIn: Bool)] = [
                    (nil, true), ("https://maru.example", true), ("http://127.0.0.1:\(node.port)", true),
                    ("https://evil.example", false), ("https://maru.example.evil.example", false), ("null", false),
                ]
                for (origin, isLetIn) in cases {
                    let client = try SocketClient(
                        port: node.port, headers: [cookie] + (origin.map { [("Origin", $0)] } ?? []))
                    try client.join(Self.namespace)
                    try await client.until("an answer to \(origin ?? "none")") {
                        isLetIn ? $0.joined.contains(Self.namespace) : $0.refused[Self.namespace] == "Unauthorized"
                    }
                }
            }
        }
    }

    @Test("A channel admits members and observers, a DM its two members, and neither anyone else")
    func standing() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode { node in
                let cases: [(user: Int64, namespace: String, isLetIn: Bool)] = [
                    (1, "/ws-channel-7", true), (70, "/ws-channel-7", true), (99, "/ws-channel-7", false),
                    (1, "/ws-channel-99", false), (1, "/ws-dm-5", true), (3, "/ws-dm-5", false),
                    (1, "/ws-room-7", false),
                ]
                for (user, namespace, isLetIn) in cases {
                    let client = try SocketClient(port: node.port, headers: [("Authorization", harness.token(user))])
                    try client.join(namespace)
                    try await client.until("an answer to \(user) at \(namespace)") {
                        isLetIn ? $0.joined.contains(namespace) : $0.refused[namespace] != nil
                    }
                }
            }
        }
    }

    @Test("New sockets beyond the rate are refused with E98 and Retry-After; open ones stay open")
    func storm() async throws {
        try await GatewayHarness.use { harness in
            let settings = [
                "handshake_rate": "1", "handshake_burst": "3", "ping_interval": "30s", "ping_timeout": "30s",
            ]
            try await harness.withNode(settings) { node in
                let client = try await PollingClient.open(port: node.port, token: harness.token(1))
                var refusal: HTTPCall.Reply?
                // A busy machine may be let in a little more often.
                for _ in 0..<100 where refusal == nil {
                    let reply = try await HTTPCall.get(
                        port: node.port, "/socket.io/?EIO=4&transport=polling",
                        headers: [("Authorization", harness.token(2))])
                    if reply.status != 200 { refusal = reply }
                }
                let refused = try #require(refusal)
                #expect(refused.status == 503)
                #expect(refused.errorCode == "E98")
                #expect((1...3).contains(Int(refused.headers["retry-after"] ?? "") ?? 0))
                try await eventually("a WebSocket that is sent away") { (try? SocketClient(port: node.port)) == nil }
                #expect(try await client.post("40\(Self.namespace),", port: node.port).text == "ok")
                // A client that comes back then is let in.
                try await eventually("a new socket") {
                    (try? await PollingClient.open(port: node.port, token: harness.token(2))) != nil
                }
            }
        }
    }

    @Test(
        "A loop reads 16 starts of /me sockets at a time in few calls, and a join of a room does not wait for the others"
    )
    func starts() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode { node in
                // The node has two loops.
                let (most, all) = (32, 80)
                harness.peers.change { $0.isHoldingStarts = true }
                var devices: [SocketClient] = []
                for user in 1...Int64(all) {
                    let token = harness.token(user, "native")
                    devices.append(try SocketClient(port: node.port, headers: [("Authorization", token)]))
                }
                for device in devices { try device.join("/me") }
                /// The users in calls before the first one that is sent again. Those that wait begin when a call has failed, after
                /// seconds.
                @Sendable func begun() -> (users: Set<Int64>, isSentAgain: Bool) {
                    let peers = harness.peers.now
                    var users: Set<Int64> = []
                    for (call, at) in zip(peers.startedUsers, peers.startTimes) {
                        let isLate = !users.isDisjoint(with: call) || at - peers.startTimes[0] > .seconds(1)
                        if isLate { return (users, true) }
                        users.formUnion(call)
                    }
                    return (users, false)
                }
                try await eventually("the first starts") { begun().users.count >= most / 2 || begun().isSentAgain }
                _ = try await SocketClient.joined(Self.namespace, port: node.port, token: harness.token(60))
                try await eventually("a call that is sent again") { begun().isSentAgain }
                #expect(begun().users.count <= most)
                #expect(harness.peers.now.startedUsers.allSatisfy { $0.count <= StartReads.usersPerCall })
                harness.peers.change { $0.isHoldingStarts = false }
                for each in devices { try await each.until("ready") { $0.events.contains { $0.name == "ready" } } }
                #expect(harness.peers.now.startedUsers.contains { $0.count > 1 })
            }
        }
    }

    @Test(
        "The start that cannot be read is asked for again, and holds up no other; services of an older release are asked one by one"
    )
    func startsOfSome() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode(["loops": "1"]) { node in
                harness.peers.change { $0.failingStarts = [2] }
                func device(_ user: Int64) throws -> SocketClient {
                    let token = harness.token(user, "native")
                    let client = try SocketClient(port: node.port, headers: [("Authorization", token)])
                    try client.join("/me")
                    return client
                }
                let (one, two) = (try device(1), try device(2))
                try await one.until("ready") { $0.events.contains { $0.name == "ready" } }
                try await eventually("another try") { harness.peers.now.startedUsers.joined().count { $0 == 2 } > 1 }
                #expect(!two.record.events.contains { $0.name == "ready" })
                harness.peers.change { $0.failingStarts = [] }
                try await two.until("ready") { $0.events.contains { $0.name == "ready" } }

                harness.peers.change { $0.knowsNoStarts = true }
                for user: Int64 in 3...5 {
                    try await device(user).until("ready") { client in
                        client.events.contains { $0.name == "ready" }
                    }
                }
            }
        }
    }
}
