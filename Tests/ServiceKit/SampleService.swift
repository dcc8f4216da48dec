import Contract
import Crypto
import EventLoop
import HTTP
import Redis
import ServiceKit
import ServiceSupport
import Telemetry
import TestSupport
import Testing
import Wire

/// A service with a few routes and its own token issuer.
final class SampleService: Sendable {
    let service: ServiceUnderTest
    private let key = SigningKey.generate()
    /// The id of its signing key.
    var keyID: String { key.id }

    private struct Authority: TokenAuthority {
        let key: VerificationKey

        func keys() async throws -> VerificationKeySet { VerificationKeySet([key]) }

        func revocations(since: Timestamp) async throws -> (revocations: [Revocation], now: Timestamp) { ([], .now) }

        func bot(of hash: [UInt8]) async throws -> BotIdentity? { nil }
    }

    init(
        _ settings: [String: String] = [:], database: TestDatabase? = nil, redis: RedisServer? = nil, log: Log? = nil,
        adding more: @escaping Service.Assembly = { _ in }
    ) async throws {
        let authority = Authority(key: key.verificationKey)
        service = try await ServiceUnderTest(
            "sample", [], settings, database: database, redis: redis, log: log
        ) { builder in
            builder.verifyTokens(by: authority)
            try await more(builder)
            _ = try await builder.database("sample", migrations: Outbox.migrations)
            builder.publicRoutes { routes in
                routes.signedIn(.get, "/v1/things/{id}") { call, caller in
                    let id: UserID = try call.id("id")
                    return call.reply { json in json.value([id.description, caller.user.description]) }
                }
                routes.open(.post, "/v1/echo", in: .july2024) { call in
                    let text = try await call.fields().text("text")
                    return call.reply { json in json.value(text) }
                }
                routes.webhook(.post, "/v1/webhooks/hint") { call in call.done() }
                routes.open(.get, "/v1/context") { call async in
                    let context = CallContext.current
                    return call.reply { json in
                        json.value(["\(context?.id.description ?? "") \(context?.trace?.traceparent ?? "")"])
                    }
                }
            }
            builder.internalRoutes { routes in routes.add(.get, "/internal/ping") { call in call.done() } }
        }
    }

    /// - Parameter other: an unknown key, in place of the service's key.
    func token(
        user: Int64 = 5, for purpose: Authenticator.Purpose = .access, lives: Duration = .seconds(600),
        by other: SigningKey? = nil, issuer: String = Authenticator.issuer, profile: String = "sooda"
    ) -> String {
        let now = Timestamp.now
        let token = JWTSigner(key: other ?? key, type: purpose.type).sign { json in
            json.field("iss", issuer)
            json.field("aud", purpose.audience)
            json.field("sub", UserID(user).description)
            json.field("sid", "9")
            json.field("pro", profile)
            json.field("exp", (now + lives).seconds)
        }
        return String(decoding: token, as: UTF8.self)
    }

    func call(_ method: String, _ target: String, _ headers: [(String, String)] = [], body: String = "") async throws
        -> HTTPCall.Reply
    {
        try await service.call(method, target, key: nil, headers: headers, body: Array(body.utf8))
    }

    /// Calls a route until a call is refused, with an interval between calls.
    ///
    /// - Returns: the number of admitted calls; `limit` if no call was refused.
    func callUntilRefused(as token: String, atMost limit: Int, every interval: Duration = .zero) async throws -> Int {
        for count in 0..<limit {
            let reply = try await call("GET", "/v1/things/5", [("SesacKey", "native"), ("Authorization", token)])
            if reply.status != 200 { return count }
            if interval > .zero { try await pause(for: interval) }
        }
        return limit
    }

    func stop() async { await service.stop() }
}
