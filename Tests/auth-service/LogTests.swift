import ServiceSupport
import Telemetry
import TestSupport
import Testing
import Wire

@testable import auth_service
@testable import standins

@Suite("The log")
struct LogTests {
    /// A user's personal data; each word occurs nowhere else.
    private enum Private {
        static let email = "geheimadresse@b.kr"
        static let password = "Geheimwort-0ne"
        static let wrong = "Falschwort-0ne"
        static let nickname = "geheimname"
        static let phone = "010-7777-8888"
        static let device = "geheimgeraet"
        // Longer than any port, so that no random number of the log has it.
        static let kakao = "kakao-47114711471147-kakaoadresse@b.kr"
        static let unknownKakao = "geheimkakao"
        static let apple = "sub=geheimsubjekt&email=appleadresse@b.kr&nonce=geheimnonce"

        static let words = [
            "geheim", "Geheim", "Falsch", "7777-8888", "kakaoadresse", "appleadresse", "47114711471147", "@b.kr",
            "%40b.kr",
        ]
    }

    @Test("D3: no password, token, email, name or phone number is logged, not even after a failure")
    func discreet() async throws {
        let file = LogFile()
        try await AuthFixture.run(log: file.log(.debug, of: "auth-service")) { fixture async throws in
            var secrets = try await successes(fixture)
            secrets += try await failures(fixture, secrets[0])
            let text = try await file.text()
            // These lines show that the test reads the right log.
            for line in [
                #""message":"call""#, "call failed", "without coins", "/v1/users/login", "internal call failed",
            ] {
                #expect(text.contains(line), "\(line)")
            }
            for secret in Private.words + secrets {
                #expect(!secret.isEmpty && !text.contains(secret), "\(secret)")
            }
        }
    }

    /// Makes calls that succeed; returns the tokens that they brought, and parts of them.
    private func successes(_ fixture: AuthFixture) async throws -> [String] {
        func post(_ path: String, _ json: String, token: String? = nil) async throws -> HTTPCall.Reply {
            try await fixture.service.call("POST", path, token: token, json: json)
        }
        let joined = try await post(
            "/v1/users/join",
            #"""
            {"email":"\#(Private.email)","password":"\#(Private.password)","nickname":"\#(Private.nickname)",
            "phone":"\#(Private.phone)","deviceToken":"\#(Private.device)"}
            """#)
        let user = try fixture.user(joined)
        let login = #"{"email":"\#(Private.email)","password":"\#(Private.password)"}"#
        let other = try fixture.user(try await post("/v1/users/login", login))
        let kakao = try fixture.user(try await fixture.kakao(Private.kakao))
        let identity = try fixture.providers.apple.token(try #require(QueryParameters(Private.apple)))
        let apple = try fixture.user(try await fixture.appleToken(identity, nickname: Private.nickname))
        _ = try await fixture.me(user.access)
        _ = try await fixture.service.call(
            "PUT", "/v1/users/me", token: user.access,
            json: #"{"nickname":"\#(Private.nickname)","phone":"\#(Private.phone)"}"#)
        _ = try await post("/v1/users/deviceToken", #"{"deviceToken":"\#(Private.device)"}"#, token: user.access)
        _ = try await fixture.service.internalCall(
            "POST", "/internal/profiles/by-email", json: #"{"emails":["\#(Private.email)"]}"#)
        _ = try await fixture.service.internalCall(
            "POST", "/internal/devices/prune", json: #"{"token":"\#(Private.device)"}"#)
        let renewed = try await fixture.refresh(other.refresh).json
        _ = try await fixture.service.call("GET", "/v1/users/logout", token: other.access)
        var tokens = [user, other, kakao, apple].flatMap { [$0.access, $0.refresh] }
        tokens.append(identity)
        tokens.append(try #require(renewed["refreshToken"]?.string))
        tokens.append(String(user.cookie.dropFirst("maru_socket=".count).prefix { $0 != ";" }))
        return tokens + tokens.compactMap { $0.split(separator: ".").last.map(String.init) }
    }

    /// Makes calls fail through clients, providers, other services and the database.
    private func failures(_ fixture: AuthFixture, _ access: String) async throws -> [String] {
        func logIn(_ email: String) async throws {
            _ = try await fixture.logInReply(email, password: Private.wrong)
        }
        for _ in 1...7 { try await logIn(Private.email) }
        try await logIn("geheimunbekannt@b.kr")
        let again = #"{"email":"\#(Private.email)","password":"\#(Private.wrong)","nickname":"n"}"#
        _ = try await fixture.service.call("POST", "/v1/users/join", json: again)
        for body in [#"{"email":"\#(Private.email)""#, #"{"email":["\#(Private.email)"]}"#] {
            _ = try await fixture.service.call("POST", "/v1/users/login", json: body)
        }
        _ = try await fixture.refresh(Private.unknownKakao)
        _ = try await fixture.me(access + "x")
        _ = try await fixture.service.call("GET", "/v1/users/geheim?geheim=\(Private.password)", token: access)
        _ = try await fixture.kakao(Private.unknownKakao)
        fixture.peers.setCoins(nil)
        _ = try await fixture.me(access)
        for answer in [StandinBehaviors.Answer.refuse, .nonsense] {
            fixture.providers.behaviors.set(StandinBehaviors.Behavior(answer: answer), of: .kakao)
            _ = try await fixture.kakao(Private.kakao)
        }
        await fixture.service.redis.kill()
        try await logIn(Private.email)
        _ = try await fixture.service.database.run(sql: "alter table auth.account rename to lost")
        try await logIn("geheimanders@b.kr")
        _ = try await fixture.service.call(
            "POST", "/v1/users/validation/email", json: #"{"email":"\#(Private.email)"}"#)
        _ = try await fixture.service.internalCall(
            "POST", "/internal/profiles/by-email", json: #"{"emails":["\#(Private.email)"]}"#)
        return []
    }
}
