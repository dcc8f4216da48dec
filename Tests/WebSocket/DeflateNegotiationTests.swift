import Testing

@testable import WebSocket

@Suite("Negotiation of permessage-deflate")
struct DeflateNegotiationTests {
    private static var keeping: DeflatePolicy {
        var policy = DeflatePolicy()
        policy.keepsServerContext = true
        policy.keepsClientContext = true
        return policy
    }

    private func answer(_ header: String, _ policy: DeflatePolicy = keeping) -> String? {
        HandshakeExtension.parse(header).flatMap { policy.answer(to: $0)?.header }
    }

    @Test(
        "An acceptable offer is answered with the agreed parameters",
        arguments: [
            ("permessage-deflate", "permessage-deflate"),
            ("Permessage-Deflate; client_max_window_bits", "permessage-deflate"),
            ("permessage-deflate; client_max_window_bits=10", "permessage-deflate; client_max_window_bits=10"),
            ("permessage-deflate; server_max_window_bits=8", "permessage-deflate; server_max_window_bits=8"),
            ("permessage-deflate;server_max_window_bits=\"9\"", "permessage-deflate; server_max_window_bits=9"),
            ("permessage-deflate; server_max_window_bits=15", "permessage-deflate; server_max_window_bits=15"),
            (
                "permessage-deflate; server_no_context_takeover; client_no_context_takeover",
                "permessage-deflate; server_no_context_takeover; client_no_context_takeover"
            ),
            ("x-webkit-deflate-frame, permessage-deflate", "permessage-deflate"),
            (
                " , permessage-deflate ;\tclient_no_context_takeover ,,",
                "permessage-deflate; client_no_context_takeover"
            ),
        ])
    func accepted(offer: String, agreed: String) {
        #expect(answer(offer) == agreed)
    }

    @Test(
        "An offer with unknown, repeated or invalid parameters is declined",
        arguments: [
            "permessage-deflate; unknown", "permessage-deflate; server_no_context_takeover=1",
            "permessage-deflate; client_no_context_takeover=true", "permessage-deflate; server_max_window_bits",
            "permessage-deflate; server_max_window_bits=7", "permessage-deflate; server_max_window_bits=16",
            "permessage-deflate; server_max_window_bits=08", "permessage-deflate; server_max_window_bits=+9",
            "permessage-deflate; client_max_window_bits=0", "permessage-deflate; client_max_window_bits=x",
            "permessage-deflate; server_max_window_bits=10; server_max_window_bits=10",
            "permessage-deflate; client_no_context_takeover; Client_No_Context_Takeover", "permessage-bzip2", "",
        ])
    func declined(offer: String) {
        #expect(answer(offer) == nil)
        #expect(answer("\(offer), permessage-deflate; server_max_window_bits=12") != nil, "the next offer is looked at")
    }

    @Test(
        "A header that violates the grammar is malformed",
        arguments: [
            "permessage-deflate; =1", "permessage-deflate;", "permessage-deflate; a=", "permessage-deflate; a=\"b",
            "permessage-deflate; a=\"b c\"", "permessage-deflate; a=\"\"", "a b", "a; b=c d", "@", "a; b=\"c\\",
        ])
    func malformed(header: String) {
        #expect(HandshakeExtension.parse(header) == nil)
    }

    @Test("A server without contexts of its own says so to every client")
    func noContexts() throws {
        let offers = try #require(HandshakeExtension.parse("permessage-deflate; client_max_window_bits"))
        let agreed = try #require(DeflatePolicy().answer(to: offers))
        #expect(agreed.header == "permessage-deflate; server_no_context_takeover; client_no_context_takeover")
        #expect(!agreed.parameters.serverKeepsContext && !agreed.parameters.clientKeepsContext)
    }

    @Test("A smaller window is requested from clients that support it, and used for the server's messages")
    func smallWindows() throws {
        var policy = Self.keeping
        policy.serverWindowBits = 11
        policy.clientWindowBits = 10
        #expect(answer("permessage-deflate", policy) == "permessage-deflate; server_max_window_bits=11")
        #expect(
            answer("permessage-deflate; client_max_window_bits; server_max_window_bits=9", policy)
                == "permessage-deflate; server_max_window_bits=9; client_max_window_bits=10")
        #expect(
            answer("permessage-deflate; client_max_window_bits=8", policy)
                == "permessage-deflate; server_max_window_bits=11; client_max_window_bits=8")
    }

    @Test("A client accepts only the parameters that it offered")
    func clientAccepts() throws {
        func accept(_ answer: String, _ policy: DeflatePolicy) -> DeflateParameters? {
            HandshakeExtension.parse(answer)?.first.flatMap(policy.accept)
        }
        #expect(accept("permessage-deflate", Self.keeping) == DeflateParameters())
        #expect(accept("permessage-deflate; client_max_window_bits=9", Self.keeping)?.clientWindowBits == 9)
        #expect(accept("permessage-deflate; client_max_window_bits", Self.keeping) == nil)
        #expect(accept("permessage-deflate; bogus", Self.keeping) == nil)
        #expect(accept("permessage-deflate", DeflatePolicy()) == nil, "server_no_context_takeover was asked for")
        var small = Self.keeping
        small.serverWindowBits = 10
        #expect(accept("permessage-deflate", small) == nil)
        #expect(accept("permessage-deflate; server_max_window_bits=11", small) == nil)
        #expect(accept("permessage-deflate; server_max_window_bits=9", small)?.serverWindowBits == 9)
    }

    @Test("When too many sockets have contexts of their own, further sockets get none until one closes")
    func bounded() throws {
        let pool = CompressionPool(policy: Self.keeping, maximumOwnContexts: 1)
        var first: WebSocketMachine? = WebSocketMachine(
            role: .server, limits: SizeLimits(), deflate: DeflateParameters(), pool: pool)
        #expect(first != nil && pool.ownContexts == 1)
        let offers = try #require(HandshakeExtension.parse("permessage-deflate"))
        #expect(pool.policy.answer(to: offers)?.parameters.serverKeepsContext == false)
        #expect(pool.policy.answer(to: offers)?.parameters.clientKeepsContext == false)
        first = nil
        #expect(pool.ownContexts == 0)
        #expect(pool.policy.answer(to: offers)?.parameters.serverKeepsContext == true)
    }
}
