import HTTP
import Testing

@testable import realtime_gateway

@Suite("Allowed origins")
struct AllowedOriginsTests {
    @Test(
        "A page's origin is our own only with scheme, host and port of the call",
        arguments: [
            ("http://maru.example", false, true), ("http://maru.example", true, false),
            ("https://maru.example", true, true), ("https://maru.example", false, false),
            ("https://maru.example:443", true, true), ("http://maru.example:80", false, true),
            ("http://maru.example:443", true, false), ("https://maru.example:8443", true, false),
            ("HTTPS://MARU.example", true, true), ("https://maru.example.evil.example", true, false),
            ("https://evil.example/maru.example", true, false), ("https://", true, false),
            ("maru.example", true, false),
            ("null", true, false), ("", true, false), ("ftp://maru.example", false, false),
            // Libraries of apps name the address with the scheme of WebSocket. A load balancer may hide TLS.
            ("wss://maru.example", true, true), ("wss://maru.example", false, true), ("ws://maru.example", false, true),
            ("ws://evil.example", false, false),
            // By the setting.
            ("https://web.example", true, true), ("https://web.example", false, true),
            ("http://web.example", true, false),
        ])
    func own(_ origin: String, isSecure: Bool, isAllowed: Bool) throws {
        let origins = AllowedOrigins(["https://web.example"])
        let headers: Headers = ["Host": "maru.example", "Origin": origin]
        let request = try #require(Request(.get, "/socket.io/", headers: headers))
        #expect(origins.allow(request, isSecure: isSecure) == isAllowed)
    }

    @Test("A call without an origin is not that of a page")
    func none() throws {
        let request = try #require(Request(.get, "/socket.io/"))
        #expect(AllowedOrigins([]).allow(request, isSecure: false))
    }

    @Test("A port that is not the scheme's own is part of the origin")
    func port() throws {
        for (origin, isAllowed) in [
            ("http://maru.example:8080", true), ("http://maru.example", false), ("ws://maru.example:8080", true),
        ] {
            let headers: Headers = ["Host": "maru.example:8080", "Origin": origin]
            let request = try #require(Request(.get, "/socket.io/", headers: headers))
            #expect(AllowedOrigins([]).allow(request, isSecure: false) == isAllowed, "\(origin)")
        }
    }
}
