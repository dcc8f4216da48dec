import HTTP
import ServiceSupport
import Telemetry
import TestSupport
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

    @Test(
        "An impossible X-Request-Start is ignored",
        arguments: ["20000000000 0", "1e300 0", "nan 0", "inf 0", "1 2", "5 -1", "5", "", "x y"])
    func impossibleTime(_ times: String) throws {
        let request = try #require(Request(.get, "/v1/things", headers: ["X-Request-Start": times]))
        #expect(TrustedProxies([""]).origin(of: request).gatewayStart == nil)
    }

    @Test("With a gateway credential, a peer of a trusted address that does not show it is not believed")
    func credential() throws {
        let proxies = TrustedProxies(["", "*"], credential: Array("a secret of the gateway".utf8))
        for shown in [nil, "", "a secret", "a secret of the gateway and more", "another secret!!!!!!!!!"] {
            var headers: Headers = ["X-Forwarded-For": "203.0.113.9"]
            headers.append("X-Forwarded-Proto", "https")
            if let shown { headers.append(.gatewayCredential, shown) }
            let origin = proxies.origin(of: try #require(Request(.get, "/", headers: headers)))
            #expect(origin.address == "" && !origin.isSecure, "\(shown ?? "none")")
        }
        var headers: Headers = ["X-Forwarded-For": "198.51.100.1, 203.0.113.9"]
        headers.append(.gatewayCredential, "a secret of the gateway")
        let request = try #require(Request(.get, "/", headers: headers))
        #expect(proxies.origin(of: request).address == "203.0.113.9")
        let elsewhere = TrustedProxies(["10.0.0.1"], credential: Array("a secret of the gateway".utf8))
        #expect(elsewhere.origin(of: request).address == "", "the credential alone is not enough")
    }

    /// The number of calls without a token that a service takes before it refuses one, each under another forged address.
    private static func taken(_ settings: [String: String], headers: [(String, String)] = []) async throws -> Int {
        let sample = try await SampleService(
            settings.merging(["address_rate": "1", "address_burst": "3"]) { $1 })
        var count = 0
        while count < 20 {
            let forged = ("X-Forwarded-For", "198.51.100.\(count), 203.0.113.\(count)")
            let reply = try await sample.call(
                "POST", "/v1/echo", [("SesacKey", "native"), ("Content-Type", "application/json"), forged] + headers,
                body: #"{"text":"x"}"#)
            if reply.status != 200 { break }
            count += 1
        }
        await sample.stop()
        return count
    }

    @Test("A service counts calls by the forwarded address only if its gateway forwarded it")
    func endToEnd() async throws {
        #expect(try await Self.taken(["trusted_proxies": "127.0.0.1"]) == 20)
        // A slow machine may win a token back.
        #expect(try await Self.taken(["trusted_proxies": "192.0.2.1"]) < 10)
        let secret = "a-secret-of-the-gateway"
        let settings = ["trusted_proxies": "127.0.0.1", "gateway_credential": secret]
        #expect(try await Self.taken(settings) < 10)
        #expect(try await Self.taken(settings, headers: [("X-Gateway-Credential", "wrong")]) < 10)
        #expect(try await Self.taken(settings, headers: [("X-Gateway-Credential", secret)]) == 20)
    }

    @Test("The last address that was forwarded counts, so a client cannot put another before it")
    func lastAddress() async throws {
        let sample = try await SampleService(["address_rate": "1", "address_burst": "3"])
        var count = 0
        while count < 60 {
            let reply = try await sample.call(
                "POST", "/v1/echo",
                [
                    ("SesacKey", "native"), ("Content-Type", "application/json"),
                    ("X-Forwarded-For", "198.51.100.\(count)"), ("X-Forwarded-For", "198.51.101.\(count), 203.0.113.9"),
                ], body: #"{"text":"x"}"#)
            if reply.status != 200 { break }
            count += 1
        }
        // A slow machine may win a few tokens back.
        #expect(count < 60)
        await sample.stop()
    }
}
