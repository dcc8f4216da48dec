import Testing

@testable import WebSocket

@Suite("Opening handshakes")
struct HandshakeTests {
    private static let sample: [(String, String)] = [
        ("Host", "server.example.com"), ("Upgrade", "websocket"), ("Connection", "Upgrade"),
        ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="), ("Sec-WebSocket-Version", "13"),
    ]

    private func request(
        method: String = "GET", without: String? = nil, with more: [(String, String)] = []
    ) -> HandshakeRequest {
        let fields = Self.sample.filter { $0.0 != without } + more
        return HandshakeRequest(method: method) { name in
            fields.filter { $0.0.lowercased() == name.lowercased() }.map(\.1)
        }
    }

    @Test("The RFC's sample key gets the RFC's answer")
    func sample() throws {
        let handshake = try ServerHandshake(answering: request())
        #expect(
            handshake.headers.map { "\($0.name): \($0.value)" } == [
                "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
            ])
        #expect(handshake.deflate == nil && handshake.subprotocol == nil)
    }

    @Test("Connection and Upgrade are matched in lists and in any case")
    func lists() throws {
        var spelled = request(without: "Connection", with: [("Connection", "keep-alive, UPGRADE")])
        spelled.upgrade = ["h2c", "WebSocket"]
        _ = try ServerHandshake(answering: spelled)
    }

    @Test("A request with missing, repeated or malformed fields is refused with 400")
    func refused() {
        let bad: [HandshakeRequest] = [
            request(method: "POST"), request(without: "Host"), request(with: [("Host", "other")]),
            request(without: "Upgrade"), request(without: "Connection"), request(without: "Sec-WebSocket-Key"),
            request(without: "Sec-WebSocket-Version"), request(with: [("Sec-WebSocket-Version", "13")]),
            request(with: [("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==")]),
            request(without: "Sec-WebSocket-Key", with: [("Sec-WebSocket-Key", "dGhlIHNhbXBsZQ==")]),
            request(without: "Sec-WebSocket-Key", with: [("Sec-WebSocket-Key", "not base64 at all!!!!!!!")]),
            request(without: "Upgrade", with: [("Upgrade", "websocket2")]),
            request(without: "Connection", with: [("Connection", "close")]),
            request(with: [("Sec-WebSocket-Extensions", "permessage-deflate; =")]),
            request(with: [("Sec-WebSocket-Protocol", "a b")]),
        ]
        for request in bad {
            #expect(throws: HandshakeRefusal.self) { try ServerHandshake(answering: request) }
            do { _ = try ServerHandshake(answering: request) } catch { #expect(error.status == 400) }
        }
    }

    @Test("A request for another version gets 426 with the supported version")
    func version() throws {
        for version in ["8", "14", "013"] {
            let request = request(without: "Sec-WebSocket-Version", with: [("Sec-WebSocket-Version", version)])
            do throws(HandshakeRefusal) {
                _ = try ServerHandshake(answering: request)
                #expect(Bool(false), "version \(version) is accepted")
            } catch {
                #expect(error.status == 426)
                #expect(error.headers.contains { $0 == ("Sec-WebSocket-Version", "13") })
            }
        }
    }

    @Test("The first acceptable offer of several extension headers is chosen")
    func extensions() throws {
        let offers = [
            ("Sec-WebSocket-Extensions", "permessage-deflate; server_max_window_bits=99"),
            ("sec-websocket-extensions", "permessage-deflate; server_max_window_bits=12, permessage-deflate"),
        ]
        let handshake = try ServerHandshake(answering: request(with: offers), deflate: DeflatePolicy())
        #expect(handshake.deflate?.serverWindowBits == 12)
        #expect(handshake.headers.contains { $0.name == "Sec-WebSocket-Extensions" })
        #expect(try ServerHandshake(answering: request(with: offers)).deflate == nil)
    }

    @Test("The client's first supported subprotocol is chosen, or none")
    func subprotocols() throws {
        let offer = request(with: [("Sec-WebSocket-Protocol", "chat, superchat"), ("Sec-WebSocket-Protocol", "x")])
        let chosen = try ServerHandshake(answering: offer, protocols: ["x", "superchat"])
        #expect(chosen.subprotocol == "superchat")
        #expect(chosen.headers.contains { $0 == ("Sec-WebSocket-Protocol", "superchat") })
        #expect(try ServerHandshake(answering: offer, protocols: ["other"]).subprotocol == nil)
    }

    @Test("Our server accepts our client's request, and each side checks the other's answer")
    func bothSides() throws {
        var policy = DeflatePolicy()
        policy.serverWindowBits = 12
        let client = ClientHandshake(host: "a:1", target: "/x?y", headers: [("Cookie", "c=1")], deflate: policy)
        let lines = String(decoding: client.request, as: UTF8.self).components(separatedByLineEnds: ())
        #expect(lines.first == "GET /x?y HTTP/1.1" && lines.contains("Cookie: c=1") && lines.suffix(2) == ["", ""])
        let request = HandshakeRequest(method: "GET") { name in
            lines.filter { $0.hasPrefix(name + ": ") }.map { String($0.dropFirst(name.count + 2)) }
        }
        let server = try ServerHandshake(answering: request, deflate: DeflatePolicy())
        let head =
            "HTTP/1.1 101 Switching Protocols\r\nupgrade: WebSocket\r\n"
            + server.headers.map { "\($0.name):\($0.value)\r\n" }.joined()
        let agreed = try client.accept(head: Array(head.utf8))
        #expect(agreed == server.deflate && agreed?.serverWindowBits == 12)

        let other = ClientHandshake(host: "a", target: "/")
        #expect(throws: ClientHandshake.Refused.self) { try other.accept(head: Array(head.utf8)) }
        for head in ["HTTP/1.1 403 Forbidden", "nonsense", ""] {
            #expect(throws: ClientHandshake.Refused.self) { try client.accept(head: Array(head.utf8)) }
        }
    }
}

extension String {
    fileprivate func components(separatedByLineEnds: ()) -> [String] {
        split(separator: "\r\n", omittingEmptySubsequences: false).map(String.init)
    }
}
