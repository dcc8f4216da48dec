import Contract
import Crypto
import EventLoop
import Glibc
import HTTP
import ServiceKit
import ServiceSupport
import Telemetry
import Wire

/// The service under test: the whole middleware as every service has it, before a handler that only replies.
enum BenchService {
    /// The route that is asked for, and what it replies.
    static let target = "/v1/workspaces/1024/channels/77"
    static let reply = #"{"status":"ok","workspace_id":"1024","channel_id":"77"}"#
    /// Users whose calls take turns.
    private static let users: Range<Int64> = 1000..<1064

    /// Issues the tokens by itself, so that no auth-service is needed.
    private struct Authority: TokenAuthority {
        let key: SigningKey

        func keys() async throws -> VerificationKeySet { VerificationKeySet([key.verificationKey]) }

        func revocations(since: Timestamp) async throws -> (revocations: [Revocation], now: Timestamp) { ([], .now) }
    }

    /// Serves until it is killed; the tokens to call it with go to `tokens`, one a line.
    static func run(port: UInt16, loops: Int, redis: UInt16, tokens: String) async throws {
        let key = SigningKey.generate()
        let file = fopen(tokens, "w")
        for user in users { fputs(token(of: user, key) + "\n", file) }
        fclose(file)
        // As shipped, but for limits that one machine's load would reach at once.
        let settings = [
            "public_address": "127.0.0.1:\(port)", "internal_address": "127.0.0.1:0",
            "clients_file": ServiceUnderTest.clients, "service_credential": ServiceUnderTest.credential,
            "database_url": "postgres://nobody@127.0.0.1/none", "redis_url": "redis://127.0.0.1:\(redis)/0",
            "user_rate": "1000000000", "user_burst": "1000000000",
        ]
        let config = try Config(
            Service.settings(of: "bench", []), file: settings.map { "\($0) = \($1)" }.joined(separator: "\n"))
        let service = try await Service.start(
            "bench", config, on: EventLoopGroup(count: loops), log: Log(service: "bench", to: LogOutput())
        ) { [body = Array(reply.utf8)] builder in
            builder.verifyTokens(by: Authority(key: key))
            builder.publicRoutes { routes in
                routes.signedIn(.get, "/v1/workspaces/{workspace}/channels/{channel}") { call, _ in
                    let _: ChannelID = try call.id("channel")
                    return .json(body)
                }
            }
        }
        print("listening on \(service.publicAddress)")
        while true { try await Task.sleep(for: .seconds(3600)) }
    }

    private static func token(of user: Int64, _ key: SigningKey) -> String {
        let token = JWTSigner(key: key, type: Authenticator.Purpose.access.type).sign { json in
            json.field("iss", Authenticator.issuer)
            json.field("aud", Authenticator.Purpose.access.audience)
            json.field("sub", "\(user)")
            json.field("sid", "\(user + 1000)")
            json.field("pro", "sooda")
            json.field("exp", (Timestamp.now + .seconds(3600)).seconds)
        }
        return String(decoding: token, as: UTF8.self)
    }
}
