import HTTP
import Telemetry
import Testing

@testable import ServiceKit

@Suite("Trusted proxies")
struct TrustedProxiesTests {
    /// A request without a socket: its peer is the empty address.
    private func request(_ forwarded: String...) throws -> Request {
        var headers = Headers()
        for value in forwarded { headers.append("X-Forwarded-For", value) }
        headers.append("X-Forwarded-Proto", "https")
        headers.append("X-Request-Id", "gateway-12345")
        return try #require(Request(.get, "/v1/things", headers: headers))
    }

    @Test("The headers of an untrusted peer are ignored")
    func untrusted() throws {
        let origin = TrustedProxies(["10.0.0.1"]).origin(of: try request("203.0.113.9"))
        #expect(origin.address == "" && !origin.isSecure && origin.requestID == nil)
    }

    @Test("The client is the last value of a trusted gateway's X-Forwarded-For")
    func trusted() throws {
        let proxies = TrustedProxies([""])
        #expect(proxies.origin(of: try request("203.0.113.9")).address == "203.0.113.9")
        #expect(proxies.origin(of: try request("198.51.100.1, 203.0.113.9")).address == "203.0.113.9")
        #expect(proxies.origin(of: try request("198.51.100.1", "198.51.100.2,203.0.113.9")).address == "203.0.113.9")
        #expect(proxies.origin(of: try request("198.51.100.1", "203.0.113.9")).address == "203.0.113.9")
        #expect(proxies.origin(of: try request()).address == "")
        let origin = proxies.origin(of: try request("203.0.113.9"))
        #expect(origin.isSecure && origin.requestID?.description == "gateway-12345")
        #expect(TrustedProxies(["*"]).origin(of: try request("203.0.113.9")).address == "203.0.113.9")
    }
}
