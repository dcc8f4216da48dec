import Crypto
import EventLoop
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

/// The service with stand-ins for all that it asks: providers, workspaces and coins.
final class AuthHouse: Stoppable {
    let service: ServiceUnderTest
    let providers: StandinWorld
    let neighbours: Neighbours
    private let loops: EventLoopGroup
    private let servers: [Server]
    private let settings: [String: String]

    private init(_ settings: [String: String], database: TestDatabase?, log: Log?) async throws {
        loops = EventLoopGroup(count: 1)
        providers = try StandinWorld()
        neighbours = Neighbours()
        let outside = providers.server(on: loops)
        let inside = Server(on: loops) { [neighbours] in try await neighbours.answer($0) }
        servers = [outside, inside]
        let address = SocketAddress(ip: "127.0.0.1", port: 0)!
        let providersURL = "http://127.0.0.1:\(try outside.start(at: address).port)"
        let neighboursURL = "http://127.0.0.1:\(try inside.start(at: address).port)"
        var all = [
            "kakao_url": providersURL + "/kakao", "kakao_app_id": "\(KakaoStandin.appID)",
            "apple_url": providersURL + "/apple", "apple_client_ids": AppleStandin.clientID,
            "workspace_url": neighboursURL, "payment_url": neighboursURL,
        ]
        all.merge(settings) { _, given in given }
        self.settings = all
        service = try await ServiceUnderTest(
            "auth-service", AuthSettings.entries, all, database: database, log: log, assemble: App.assemble)
    }

    /// Another instance of the service beside the first, on the same database and Redis; `body` must not keep it.
    func withInstance(
        _ settings: [String: String] = [:], _ body: (ServiceUnderTest) async throws -> Void
    ) async throws {
        try await ServiceUnderTest(
            "auth-service", AuthSettings.entries, self.settings.merging(settings) { _, given in given },
            database: service.database, redis: service.redis, assemble: App.assemble
        ).lent(to: body)
    }

    private static let places = Places(2)

    /// Runs `body` in a house of its own, when there is place for one, and clears it away.
    static func run(
        _ settings: [String: String] = [:], database: TestDatabase? = nil, log: Log? = nil,
        _ body: (AuthHouse) async throws -> Void
    ) async throws {
        try await places.hold { try await AuthHouse(settings, database: database, log: log).lent(to: body) }
    }

    func stop() async {
        await service.stop()
        for server in servers { await server.stop() }
        await onOwnThread { [loops] in loops.stop() }
    }

    /// Someone signed in.
    struct Guest: Sendable {
        let id: String
        let access: String
        let refresh: String
        let cookie: String
    }

    static let password = "Passw0rd!"

    func join(_ email: String = "a@b.kr", key: String = "native", device: String = "") async throws -> Guest {
        let reply = try await service.call(
            "POST", "/v1/users/join", key: key,
            json: """
                {"email":"\(email)","password":"\(Self.password)","nickname":"새싹","phone":"","deviceToken":"\(device)"}
                """)
        return try guest(reply)
    }

    func logInReply(
        _ email: String = "a@b.kr", password: String = AuthHouse.password, key: String = "native", device: String = ""
    ) async throws -> HTTPCall.Reply {
        try await service.call(
            "POST", "/v1/users/login", key: key,
            json: #"{"email":"\#(email)","password":"\#(password)","deviceToken":"\#(device)"}"#)
    }

    func logIn(_ email: String = "a@b.kr", key: String = "native", device: String = "") async throws -> Guest {
        try guest(try await logInReply(email, key: key, device: device))
    }

    func kakao(_ token: String) async throws -> HTTPCall.Reply {
        try await service.call("POST", "/v1/users/login/kakao", json: #"{"oauthToken":"\#(token)","deviceToken":""}"#)
    }

    /// Signs in with a token that Apple's stand-in makes of `claims`, such as `sub=1&email=a@b.kr`.
    func apple(_ claims: String, nickname: String? = nil) async throws -> HTTPCall.Reply {
        let token = try providers.apple.token(try #require(QueryParameters(claims)))
        return try await appleToken(token, nickname: nickname)
    }

    func appleToken(_ token: String, nickname: String? = nil) async throws -> HTTPCall.Reply {
        let name = nickname.map { #","nickname":"\#($0)""# } ?? ""
        return try await service.call("POST", "/v1/users/login/apple", json: #"{"idToken":"\#(token)"\#(name)}"#)
    }

    func refresh(_ token: String, key: String = "native") async throws -> HTTPCall.Reply {
        try await service.call("GET", "/v1/auth/refresh", key: key, headers: [("RefreshToken", token)])
    }

    func me(_ access: String, key: String = "native") async throws -> HTTPCall.Reply {
        try await service.call("GET", "/v1/users/me", key: key, token: access)
    }

    /// Puts a picture into somebody's profile.
    func upload(_ bytes: [UInt8], _ token: String) async throws -> HTTPCall.Reply {
        let head = """
            --b\r\nContent-Disposition: form-data; name="image"; filename="../../me.html"\r\n\
            Content-Type: text/html\r\n\r\n
            """
        return try await service.call(
            "PUT", "/v1/users/me/image", token: token, headers: [("Content-Type", "multipart/form-data; boundary=b")],
            body: Array(head.utf8) + bytes + Array("\r\n--b--\r\n".utf8))
    }

    /// Opens another session of an account, and tells its id.
    func newSession(_ email: String) async throws -> String {
        let guest = try await logIn(email)
        let list = try await service.call("GET", "/v1/users/me/sessions", token: guest.access).json
        let current = list.elements?.first { $0["current"]?.bool == true }
        return try #require(current?["session_id"]?.string)
    }

    /// The key that signs tokens at present.
    func signingKey() async throws -> SigningKey {
        let pem = try await service.database.run(sql: "select private_key from auth.signing_key limit 1")
        return try SigningKey(pem: pem)
    }

    func guest(_ reply: HTTPCall.Reply) throws -> Guest {
        let json = try reply.json
        let tokens = json["token"] ?? json
        return Guest(
            id: try #require(
                json["user_id"]?.string ?? json["user_id"]?.int?.description, "\(reply.status) \(reply.text)"),
            access: try #require(tokens["accessToken"]?.string), refresh: try #require(tokens["refreshToken"]?.string),
            cookie: reply.headers["set-cookie"] ?? "")
    }
}

/// workspace-service and payment-service, as far as accounts need them.
final class Neighbours: Sendable {
    private let acquaintances = Mutex<Set<String>>([])
    private let coins = Mutex<Int?>(40)

    /// Everybody shares a workspace with these.
    func acquaint(_ id: String) { acquaintances.withLock { _ = $0.insert(id) } }

    /// What everybody has; nil while payment-service does not answer.
    func setCoins(_ number: Int?) { coins.withLock { $0 = number } }

    func answer(_ request: Request) async throws -> Response {
        let path = String(decoding: request.path, as: UTF8.self)
        if path == "/internal/acquaintances" {
            let asked = try JSONValue(parsing: try await request.body.collect(upTo: 65_536))
            let known = acquaintances.withLock { $0 }
            let ids = (asked["others"]?.elements?.compactMap(\.string) ?? []).filter(known.contains)
            return .json(JSONWriter.bytes { $0.object { $0.field("ids", ids) } })
        }
        if path == "/internal/balances", let coins = coins.withLock({ $0 }) {
            let asked = try JSONValue(parsing: try await request.body.collect(upTo: 65_536))
            let ids = asked["ids"]?.elements?.compactMap(\.string) ?? []
            let balances = ids.map { #"{"user_id":"\#($0)","balance":\#(coins)}"# }
            return .json(Array(#"{"balances":[\#(balances.joined(separator: ","))]}"#.utf8))
        }
        return path == "/internal/auto-join" ? .json(Array("{}".utf8)) : Response(.serviceUnavailable)
    }
}
