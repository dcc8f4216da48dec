import Contract
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import realtime_gateway

@Suite("Limits of new sockets", .serialized)
struct HandshakeLimitTests {
    /// Longer than a client of the tests may need between its connection and its join.
    private static let timeout = Duration.seconds(2).patiently.setting

    private static let namespace = "/ws-channel-7"
    private static let quiet = ["ping_interval": "50s", "ping_timeout": "50s"]

    private static func settings(_ own: [String: String]) -> [String: String] { quiet.merging(own) { $1 } }

    /// The reply to a request that would open a session by polling.
    private static func open(_ node: ServiceUnderTest, _ headers: [(String, String)]) async throws -> HTTPCall.Reply {
        try await HTTPCall.get(port: node.port, "/socket.io/?EIO=4&transport=polling", headers: headers)
    }

    @Test("A socket without an identity is closed in time; one with an identity stays, in no room too")
    func nameless() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode(Self.settings(["nameless_timeout": "300ms"])) { node in
                let named = try SocketClient(port: node.port, headers: [("Authorization", harness.token(1))])
                let silent = try SocketClient(port: node.port)
                // The root is no room, and an invalid credential is none.
                let rooted = try SocketClient(port: node.port, headers: [("Authorization", "x.y.z")])
                // It may have been closed already.
                try? rooted.join("/")
                let refused = try SocketClient(port: node.port)
                try? refused.join(Self.namespace)
                for client in [silent, rooted, refused] { try await client.until("its end") { $0.isEnded } }
                try named.join(Self.namespace)
                try await named.until("a way in") { $0.joined.contains(Self.namespace) }
                #expect(try await node.metrics().contains(#"maru_sockets_cut_off_total{reason="no identity"} 3"#))
            }
        }
    }

    @Test("A socket that proves its identity with a join stays open")
    func late() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode(Self.settings(["nameless_timeout": Self.timeout])) { node in
                // A machine that stands still may take too long between a connection and its join: then another one tries.
                var proven: SocketClient?
                for _ in 1...5 where proven == nil {
                    let late = try SocketClient(port: node.port)
                    try? late.join(Self.namespace, #"{"token":"\#(harness.token(1))"}"#)
                    try await late.until("a way in, or its end") { $0.joined.contains(Self.namespace) || $0.isEnded }
                    if late.record.joined.contains(Self.namespace) { proven = late }
                }
                let late = try #require(proven)
                let silent = try SocketClient(port: node.port)
                try await silent.until("its end") { $0.isEnded }
                #expect(!late.record.isEnded)
            }
        }
    }

    @Test("Sockets without an identity hold a small share of the connections, and leave the rest to the others")
    func share() async throws {
        try await GatewayHarness.use { harness in
            let settings = ["connections": "40", "nameless_share": "5", "nameless_timeout": "50s"]
            try await harness.withNode(Self.settings(settings)) { node in
                let first = try SocketClient(port: node.port)
                let second = try SocketClient(port: node.port)
                let refused = try await Self.open(node, [])
                #expect(refused.status == 503 && refused.headers["retry-after"] == "5")
                #expect(throws: NeverHappened.self) { try SocketClient(port: node.port) }
                _ = try await harness.listener(1, port: node.port)
                // An identity gives the place back, and so does the end.
                try first.join(Self.namespace, #"{"token":"\#(harness.token(2))"}"#)
                try await first.until("a way in") { $0.joined.contains(Self.namespace) }
                let third = try SocketClient(port: node.port)
                #expect(try await Self.open(node, []).status == 503)
                second.drop()
                try await second.until("its end") { $0.isEnded }
                try await eventually("a free place") { try await Self.open(node, []).status == 200 }
                #expect(!third.record.isEnded)
            }
        }
    }

    @Test("A user has a limited number of sockets, and takes none from other users")
    func ofUser() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode(Self.settings(["user_sockets": "2", "nameless_timeout": Self.timeout])) { node in
                let first = try await harness.listener(1, port: node.port)
                _ = try await harness.listener(1, port: node.port)
                let refused = try await Self.open(node, [("Authorization", harness.token(1))])
                #expect(refused.status == 503 && refused.headers["retry-after"] == "5")
                // A join is no way around. A machine that stands still may take too long for one: then another one tries.
                var refusedJoin: SocketClient?
                for _ in 1...5 where refusedJoin == nil {
                    let late = try SocketClient(port: node.port)
                    try? late.join(Self.namespace, #"{"token":"\#(harness.token(1))"}"#)
                    try await late.until("a refusal, or its end") { !$0.refused.isEmpty || $0.isEnded }
                    if late.record.refused[Self.namespace] == "Unauthorized" { refusedJoin = late }
                }
                let late = try #require(refusedJoin)
                try await late.until("its end") { $0.isEnded }
                _ = try await harness.listener(2, port: node.port)
                first.drop()
                try await eventually("a free slot") {
                    try await Self.open(node, [("Authorization", harness.token(1))]).status == 200
                }
            }
        }
    }

    @Test("Open sockets count as connections; further clients are refused, counted and logged")
    func connections() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode(Self.settings(["connections": "3"])) { node in
                let sockets = try await [
                    harness.listener(1, port: node.port), harness.listener(2, port: node.port),
                    harness.listener(3, port: node.port),
                ]
                #expect(try await Self.open(node, [("Authorization", harness.token(1))]).status != 200)
                // The refused connection counts until its client has been told.
                try await eventually("a count of the sockets") {
                    try await node.metrics().contains("maru_connections 3.0\n")
                }
                let page = try await node.metrics()
                #expect(page.contains("maru_connections_limit 3.0\n"))
                #expect(page.contains(#"maru_connections_refused_total{reason="limit"} 1"#))
                sockets[0].drop()
                try await eventually("a free place") {
                    try await Self.open(node, [("Authorization", harness.token(1))]).status == 200
                }
            }
        }
    }

    @Test("An address that opens too many sockets is refused, others are not, and a forged address does not help")
    func addresses() async throws {
        try await GatewayHarness.use { harness in
            let settings = [
                "handshake_address_rate": "1", "handshake_address_burst": "3", "handshake_burst": "50",
                "gateway_credential": "a-secret-of-the-gateway",
            ]
            try await harness.withNode(Self.settings(settings)) { node in
                func admitted(_ headers: (Int) -> [(String, String)]) async throws -> Int {
                    for count in 0..<40 {
                        let reply = try await Self.open(
                            node, headers(count) + [("Authorization", harness.token(1))])
                        guard reply.status != 200 else { continue }
                        #expect(reply.status == 503 && reply.errorCode == "E98")
                        #expect(Int(reply.headers["retry-after"] ?? "") != nil)
                        return count
                    }
                    return 40
                }
                let gateway = ("X-Gateway-Credential", "a-secret-of-the-gateway")
                // A slow machine may win a token back.
                #expect(try await admitted { [("X-Forwarded-For", "203.0.113.\($0)")] } < 10)
                #expect(try await admitted { [("X-Forwarded-For", "203.0.113.\($0), 198.51.100.7"), gateway] } < 10)
                #expect(try await admitted { [("X-Forwarded-For", "2001:db8::\($0)"), gateway] } < 10)
                // These refusals took nothing from the bucket of the instance.
                let reply = try await Self.open(
                    node, [("X-Forwarded-For", "198.51.100.8"), gateway, ("Authorization", harness.token(1))])
                #expect(reply.status == 200)
                #expect(try await node.metrics().contains(#"maru_handshakes_refused_total{reason="instance"} 0"#))
            }
        }
    }

    @Test("Compression is offered to identified sockets only, and a compressed frame without it ends the socket")
    func compression() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode(Self.quiet) { node in
                let offer = ("Sec-WebSocket-Extensions", "permessage-deflate; client_max_window_bits")
                let cookie = ("Cookie", "maru_socket=" + harness.peers.tokens.socketCookie(user: 1, key: "native"))
                #expect(
                    try SocketClient(port: node.port, headers: [offer, cookie]).head.contains("permessage-deflate"))
                for headers in [[offer], [offer, ("Cookie", "maru_socket=x.y.z")]] {
                    let client = try SocketClient(port: node.port, headers: headers)
                    #expect(!client.head.contains("permessage-deflate"))
                    try? client.send(frames: [0xC1, 0x83, 0, 0, 0, 0, 0x32, 0x04, 0x00])
                    try await client.until("its end") { $0.isEnded }
                    #expect(client.record.closeCode == 1002)
                }
            }
        }
    }

    @Test(
        "A23: One client, with or without identity, cannot make others wait: beyond its rate of frames it is cut off",
        arguments: [false, true])
    func flood(isNamed: Bool) async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode(Self.settings(["client_frame_rate": "1", "client_frame_burst": "20"])) { node in
                let neighbour = try await harness.listener(2, port: node.port)
                let client = try SocketClient(
                    port: node.port, headers: isNamed ? [("Authorization", harness.token(1))] : [])
                let pong: [UInt8] = [0x81, 0x81, 0, 0, 0, 0, UInt8(ascii: "3")]
                try? client.send(frames: Array(repeatElement(pong, count: 10_000).joined()))
                try await client.until("its end") { $0.isEnded }
                #expect(try await node.metrics().contains(#"maru_sockets_cut_off_total{reason="over rate"} 1"#))
                try await harness.say("still here")
                try await neighbour.until("a message") { $0.texts(Self.namespace) == ["still here"] }
            }
        }
    }
}
