import Crypto
import EventLoop
import Foundation
import HTTP
import ServiceKit
import ServiceSupport
import Synchronization
import Telemetry
import TestSupport
import Testing
import Wire

@testable import auth_service
@testable import standins

/// auth-service with stand-ins for its providers and stubs for the services that it calls.
final class AuthFixture: Stoppable {
    let service: ServiceUnderTest
    let providers: ProviderStandins
    let peers: PeerStubs
    /// The base URL of the providers.
    let providersURL: String
    private let folder = TemporaryFolder("maru-issuers")
    private let loops: EventLoopGroup
    private let servers: [Server]
    private let mailListener: Listener
    private let settings: [String: String]

    private init(_ settings: [String: String], database: TestDatabase?, log: Log?) async throws {
        loops = EventLoopGroup(count: 1)
        providers = try ProviderStandins()
        peers = PeerStubs()
        let outside = providers.server(on: loops)
        let inside = Server(on: loops) { [peers] in try await peers.answer($0) }
        servers = [outside, inside]
        let address = SocketAddress(ip: "127.0.0.1", port: 0)!
        providersURL = "http://127.0.0.1:\(try outside.start(at: address).port)"
        let peersURL = "http://127.0.0.1:\(try inside.start(at: address).port)"
        mailListener = try providers.mail.listen(on: loops.loops[0], at: address)
        let issuers = """
            [{"name":"first","title":"첫째","issuer":"\(providersURL)/oidc/first","client_id":"maru",
            "client_secret":"standins","redirects":["com.example.chat:/signed-in"]},
            {"name":"second","issuer":"\(providersURL)/oidc/second","client_id":"maru","client_secret":"standins",
            "redirects":["com.example.chat:/signed-in"]}]
            """
        try issuers.write(toFile: folder.path + "/issuers.json", atomically: true, encoding: .utf8)
        var all = [
            "oidc_issuers_file": folder.path + "/issuers.json",
            "smtp_url": "smtp://127.0.0.1:\(mailListener.address.port)", "smtp_tls": "false",
            "kakao_url": providersURL + "/kakao", "kakao_app_id": "\(KakaoStandin.appID)",
            "apple_url": providersURL + "/apple", "apple_client_ids": AppleStandin.clientID,
            "workspace_url": peersURL + "/workspace", "chat_url": peersURL + "/chat",
            "payment_url": peersURL + "/payment",
            "provider_deadline": Duration.seconds(30).patiently.setting,
        ]
        all.merge(ServiceUnderTest.longLimits) { _, long in long }
        all.merge(settings) { _, override in override }
        self.settings = all
        service = try await ServiceUnderTest(
            "auth-service", AuthSettings.entries, all, database: database, log: log, assemble: App.assemble)
    }

    /// Runs `body` with another instance of the service on the same database and Redis.
    func withInstance(
        _ settings: [String: String] = [:], _ body: (ServiceUnderTest) async throws -> Void
    ) async throws {
        try await ServiceUnderTest(
            "auth-service", AuthSettings.entries, self.settings.merging(settings) { _, override in override },
            database: service.database, redis: service.redis, assemble: App.assemble
        ).lent(to: body)
    }

    private static let slots = TestSlots(3)

    /// Runs `body` with a fixture of its own when a slot is free, and stops it afterwards.
    static func run(
        _ settings: [String: String] = [:], database: TestDatabase? = nil, log: Log? = nil,
        _ body: (AuthFixture) async throws -> Void
    ) async throws {
        try await slots.run { try await AuthFixture(settings, database: database, log: log).lent(to: body) }
    }

    func stop() async {
        await service.stop()
        for server in servers { await server.stop() }
        _ = try? await loops.loops[0].run { [mailListener] in mailListener.stop() }
        await onOwnThread { [loops] in loops.stop() }
    }

    /// A signed-in user.
    struct TestUser: Sendable {
        let id: String
        let access: String
        let refresh: String
        let cookie: String
    }

    static let password = "Saessak-2024!"

    func join(_ email: String = "a@b.kr", key: String = "native", device: String = "") async throws -> TestUser {
        let reply = try await service.call(
            "POST", "/v1/users/join", key: key,
            json: """
                {"email":"\(email)","password":"\(Self.password)","nickname":"새싹","phone":"","deviceToken":"\(device)"}
                """)
        return try user(reply)
    }

    func logInReply(
        _ email: String = "a@b.kr", password: String = AuthFixture.password, key: String = "native", device: String = ""
    ) async throws -> HTTPCall.Reply {
        try await service.call(
            "POST", "/v1/users/login", key: key,
            json: #"{"email":"\#(email)","password":"\#(password)","deviceToken":"\#(device)"}"#)
    }

    func logIn(_ email: String = "a@b.kr", key: String = "native", device: String = "") async throws -> TestUser {
        try user(try await logInReply(email, key: key, device: device))
    }

    func kakao(_ token: String) async throws -> HTTPCall.Reply {
        try await service.call("POST", "/v1/users/login/kakao", json: #"{"oauthToken":"\#(token)","deviceToken":""}"#)
    }

    /// Signs in with a token that Apple's stand-in makes with `claims`, such as `sub=1&email=a@b.kr`.
    func apple(_ claims: String, nickname: String? = nil) async throws -> HTTPCall.Reply {
        let token = try providers.apple.token(try #require(QueryParameters(claims)))
        return try await appleToken(token, nickname: nickname)
    }

    func appleToken(_ token: String, nickname: String? = nil) async throws -> HTTPCall.Reply {
        let name = nickname.map { #","nickname":"\#($0)""# } ?? ""
        return try await service.call("POST", "/v1/users/login/apple", json: #"{"idToken":"\#(token)"\#(name)}"#)
    }

    /// Waits for the mail of a template to an address and returns it. The words are part of its subject.
    func mail(to recipient: String, about words: String) async throws -> MailStandin.Mail {
        @Sendable func found() -> MailStandin.Mail? {
            providers.mail.sent.last { $0.recipients == [recipient] && $0.subject.contains(words) }
        }
        try await eventually("a mail to \(recipient) about \(words)") { found() != nil }
        return try #require(found())
    }

    /// Waits for a mail with a code and returns the code.
    func code(to recipient: String, about words: String = "인증번호") async throws -> String {
        let subject = try await mail(to: recipient, about: words).subject
        return try #require(subject.split(separator: " ").map(String.init).last { $0.allSatisfy(\.isNumber) })
    }

    /// The address of an OpenID Connect issuer.
    func issuer(_ name: String) -> String { providersURL + "/oidc/" + name }

    func refresh(_ token: String, key: String = "native") async throws -> HTTPCall.Reply {
        try await service.call("GET", "/v1/auth/refresh", key: key, headers: [("RefreshToken", token)])
    }

    func me(_ access: String, key: String = "native") async throws -> HTTPCall.Reply {
        try await service.call("GET", "/v1/users/me", key: key, token: access)
    }

    /// Uploads a profile image.
    func upload(_ bytes: [UInt8], _ token: String) async throws -> HTTPCall.Reply {
        let head = """
            --b\r\nContent-Disposition: form-data; name="image"; filename="../../me.html"\r\n\
            Content-Type: text/html\r\n\r\n
            """
        return try await service.call(
            "PUT", "/v1/users/me/image", token: token, headers: [("Content-Type", "multipart/form-data; boundary=b")],
            body: Array(head.utf8) + bytes + Array("\r\n--b--\r\n".utf8))
    }

    /// Opens another session of an account and returns its id.
    func newSession(_ email: String) async throws -> String {
        let user = try await logIn(email)
        let list = try await service.call("GET", "/v1/users/me/sessions", token: user.access).json
        let current = list.elements?.first { $0["current"]?.bool == true }
        return try #require(current?["session_id"]?.string)
    }

    /// The key that signs tokens now.
    func signingKey() async throws -> SigningKey {
        let pem = try await service.database.run(sql: "select private_key from auth.signing_key limit 1")
        return try SigningKey(pem: pem)
    }

    func user(_ reply: HTTPCall.Reply) throws -> TestUser {
        let json = try reply.json
        let tokens = json["token"] ?? json
        return TestUser(
            id: try #require(
                json["user_id"]?.string ?? json["user_id"]?.int?.description, "\(reply.status) \(reply.text)"),
            access: try #require(tokens["accessToken"]?.string), refresh: try #require(tokens["refreshToken"]?.string),
            cookie: reply.headers["set-cookie"] ?? "")
    }
}
