import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import auth_service

/// Accounts with a second factor.
struct SecondFactorFixture {
    static let path = "/v1/users/me/second-factor"

    /// An account with a second factor, and its authenticator app.
    struct Protected {
        let user: AuthFixture.TestUser
        let codes: [String]
        let secrets: SecondFactorSecrets
        let seed: [UInt8]

        /// The code of the present time step or of one beside it.
        func code(_ distance: Int64 = 0) -> String {
            let passwords = secrets.passwords(of: UserID(user.id) ?? UserID(1), seed: seed)
            return passwords.code(at: TOTP.step(at: .now) + distance)
        }
    }

    func sql(_ fixture: AuthFixture, _ statement: String) async throws -> String {
        String(try await fixture.service.database.run(sql: statement).prefix { $0 != "\n" })
    }

    /// Forgets the used time steps and the tries, so that a test need not wait for the next code.
    func forgetSteps(_ fixture: AuthFixture) async throws {
        _ = try await sql(fixture, "update auth.second_factor set last_step = 0, tries = 0")
    }

    func protect(_ fixture: AuthFixture, _ email: String = "a@b.kr") async throws -> Protected {
        let user = try await fixture.join(email)
        let begin = try await fixture.service.call(
            "POST", Self.path, token: user.access, json: #"{"password":"\#(AuthFixture.password)"}"#)
        #expect(begin.headers["cache-control"] == "no-store", "\(begin.text)")
        let stored = try await sql(
            fixture, "select encode(seed, 'hex') from auth.second_factor where account = \(user.id)")
        let seed = Hexadecimal.decode(stored.utf8.span)
        let half = Protected(
            user: user, codes: [], secrets: SecondFactorSecrets(key: ServiceUnderTest.credential),
            seed: try #require(seed))
        let passwords = half.secrets.passwords(of: try #require(UserID(user.id)), seed: half.seed)
        let secret = Base32.encode(passwords.secret.span)
        #expect(try begin.json["secret"]?.string == secret)
        #expect(try begin.json["url"]?.string?.hasPrefix("otpauth://totp/Maru:") == true)
        let enable = try await fixture.service.call(
            "PUT", Self.path, token: user.access, json: #"{"code":"\#(half.code())"}"#)
        let codes = try #require(try enable.json["recoveryCodes"]?.elements?.compactMap(\.string), "\(enable.text)")
        try await forgetSteps(fixture)
        return Protected(user: user, codes: codes, secrets: half.secrets, seed: half.seed)
    }

    func ticket(_ fixture: AuthFixture, _ email: String = "a@b.kr") async throws -> String {
        let reply = try await fixture.logInReply(email)
        #expect(reply.status == 401 && reply.errorCode == "E07", "\(reply.text)")
        #expect(reply.headers["content-type"] == "application/problem+json")
        return try #require(try reply.json["ticket"]?.string)
    }

    func redeem(
        _ fixture: AuthFixture, _ ticket: String, _ code: String, more: String = "", key: String = "native"
    ) async throws -> HTTPCall.Reply {
        try await fixture.service.call(
            "POST", "/v1/users/login/second-factor", key: key,
            json: #"{"ticket":"\#(ticket)","code":"\#(code)"\#(more)}"#)
    }

}
