import ServiceSupport
import Telemetry
import TestSupport
import Testing
import Wire

@testable import auth_service
@testable import standins

@Suite("What the log holds")
struct LogTests {
    /// All that people are and have; each word stands nowhere else.
    private enum Private {
        static let email = "geheimadresse@b.kr"
        static let password = "Geheimwort-0ne"
        static let wrong = "Falschwort-0ne"
        static let nickname = "geheimname"
        static let phone = "010-7777-8888"
        static let device = "geheimgeraet"
        static let kakao = "kakao-4711-kakaoadresse@b.kr"
        static let unknownKakao = "geheimkakao"
        static let apple = "sub=geheimsubjekt&email=appleadresse@b.kr&nonce=geheimnonce"

        static let words = [
            "geheim", "Geheim", "Falsch", "7777-8888", "kakaoadresse", "appleadresse", "4711", "@b.kr", "%40b.kr",
        ]
    }

    @Test("No password, token, email, name or number of anybody stands in it, whatever goes wrong")
    func discreet() async throws {
        let file = LogFile()
        try await AuthHouse.run(log: file.log(.debug)) { house async throws in
            var secrets = try await journeys(house)
            secrets += try await mishaps(house, secrets[0])
            let text = try await file.text()
            // What shows that the log was listened to.
            for line in [#""level":"debug""#, "call failed", "no balances", "/v1/users/login", "internal call failed"] {
                #expect(text.contains(line), "\(line)")
            }
            for secret in Private.words + secrets {
                #expect(!secret.isEmpty && !text.contains(secret), "\(secret)")
            }
        }
    }

    /// What goes well; the tokens that it brings, and parts of them.
    private func journeys(_ house: AuthHouse) async throws -> [String] {
        func post(_ path: String, _ json: String, token: String? = nil) async throws -> HTTPCall.Reply {
            try await house.service.call("POST", path, token: token, json: json)
        }
        let joined = try await post(
            "/v1/users/join",
            #"""
            {"email":"\#(Private.email)","password":"\#(Private.password)","nickname":"\#(Private.nickname)",
            "phone":"\#(Private.phone)","deviceToken":"\#(Private.device)"}
            """#)
        let guest = try house.guest(joined)
        let login = #"{"email":"\#(Private.email)","password":"\#(Private.password)"}"#
        let other = try house.guest(try await post("/v1/users/login", login))
        let kakao = try house.guest(try await house.kakao(Private.kakao))
        let identity = try house.providers.apple.token(try #require(QueryParameters(Private.apple)))
        let apple = try house.guest(try await house.appleToken(identity, nickname: Private.nickname))
        _ = try await house.me(guest.access)
        _ = try await house.service.call(
            "PUT", "/v1/users/me", token: guest.access,
            json: #"{"nickname":"\#(Private.nickname)","phone":"\#(Private.phone)"}"#)
        _ = try await post("/v1/users/deviceToken", #"{"deviceToken":"\#(Private.device)"}"#, token: guest.access)
        _ = try await house.service.internalCall(
            "POST", "/internal/profiles/by-email", json: #"{"emails":["\#(Private.email)"]}"#)
        _ = try await house.service.internalCall(
            "POST", "/internal/devices/prune", json: #"{"token":"\#(Private.device)"}"#)
        let renewed = try await house.refresh(other.refresh).json
        _ = try await house.service.call("GET", "/v1/users/logout", token: other.access)
        var tokens = [guest, other, kakao, apple].flatMap { [$0.access, $0.refresh] }
        tokens.append(identity)
        tokens.append(try #require(renewed["refreshToken"]?.string))
        tokens.append(String(guest.cookie.dropFirst("maru_socket=".count).prefix { $0 != ";" }))
        return tokens + tokens.compactMap { $0.split(separator: ".").last.map(String.init) }
    }

    /// What goes wrong: by people, by providers, by other services and by the database.
    private func mishaps(_ house: AuthHouse, _ access: String) async throws -> [String] {
        func logIn(_ email: String) async throws {
            _ = try await house.logInReply(email, password: Private.wrong)
        }
        for _ in 1...7 { try await logIn(Private.email) }
        try await logIn("geheimunbekannt@b.kr")
        let again = #"{"email":"\#(Private.email)","password":"\#(Private.wrong)","nickname":"n"}"#
        _ = try await house.service.call("POST", "/v1/users/join", json: again)
        for body in [#"{"email":"\#(Private.email)""#, #"{"email":["\#(Private.email)"]}"#] {
            _ = try await house.service.call("POST", "/v1/users/login", json: body)
        }
        _ = try await house.refresh(Private.unknownKakao)
        _ = try await house.me(access + "x")
        _ = try await house.service.call("GET", "/v1/users/geheim?geheim=\(Private.password)", token: access)
        _ = try await house.kakao(Private.unknownKakao)
        house.neighbours.setCoins(nil)
        _ = try await house.me(access)
        for answer in [Moods.Answer.refuse, .nonsense] {
            house.providers.moods.set(Moods.Mood(answer: answer), of: .kakao)
            _ = try await house.kakao(Private.kakao)
        }
        await house.service.redis.kill()
        try await logIn(Private.email)
        _ = try await house.service.database.run(sql: "alter table auth.account rename to lost")
        try await logIn("geheimanders@b.kr")
        _ = try await house.service.call("POST", "/v1/users/validation/email", json: #"{"email":"\#(Private.email)"}"#)
        _ = try await house.service.internalCall(
            "POST", "/internal/profiles/by-email", json: #"{"emails":["\#(Private.email)"]}"#)
        return []
    }
}
