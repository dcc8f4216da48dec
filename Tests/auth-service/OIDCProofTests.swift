import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import auth_service
@testable import standins

@Suite("Proofs by a new sign-in with an issuer")
struct OIDCProofTests {
    private static let redirect = "com.example.chat:/signed-in"

    /// Signs the person in at the first issuer; returns the ticket and the reply as members of a call.
    ///
    /// - Parameters:
    ///   - code: the name of the member with the issuer's code.
    ///   - asksAgain: whether the app adds `max_age=0`.
    private func reply(_ fixture: AuthFixture, code: String, asksAgain: Bool) async throws -> String {
        let begun = try await fixture.service.call(
            "POST", "/v1/auth/oidc/first", json: #"{"redirect":"\#(Self.redirect)"}"#
        ).json
        let url = try #require(begun["url"]?.string)
        let asked = try #require(QueryParameters(Array(url.drop { $0 != "?" }.dropFirst().utf8)[...]))
        var parameters: [String: String] = [:]
        for name in [
            "client_id", "redirect_uri", "state", "nonce", "code_challenge", "code_challenge_method", "scope",
        ] { parameters[name] = asked[name] }
        if asksAgain { parameters["max_age"] = "0" }
        let address = try fixture.providers.oidc.authorize(at: "first", fixture.providersURL, parameters)
        let back = try #require(QueryParameters(Array(address.drop { $0 != "?" }.dropFirst().utf8)[...]))
        let members = [
            ("ticket", begun["ticket"]?.string), ("state", back["state"]), (code, back["code"]), ("iss", back["iss"]),
        ]
        return "{" + members.map { #""\#($0.0)":"\#($0.1 ?? "")""# }.joined(separator: ",") + "}"
    }

    private func signIn(_ fixture: AuthFixture) async throws -> HTTPCall.Reply {
        try await fixture.service.call(
            "POST", "/v1/users/login/oidc", json: try await reply(fixture, code: "code", asksAgain: false))
    }

    /// The error code of a call that needs a proof; empty if it is accepted.
    private func prove(
        _ fixture: AuthFixture, _ user: AuthFixture.TestUser, asksAgain: Bool = true
    ) async throws -> String {
        try await fixture.service.call(
            "POST", SecondFactorFixture.path, token: user.access,
            json: try await reply(fixture, code: "authorizationCode", asksAgain: asksAgain)
        ).errorCode
    }

    @Test("A21: a sign-in from before, which the issuer remembers, opens a session and proves nothing")
    func remembered() async throws {
        try await AuthFixture.run { fixture async throws in
            let user = try fixture.user(try await signIn(fixture))
            fixture.providers.oidc.set(OIDCStandin.Twist(time: Timestamp.now.seconds - 300))
            #expect(try await prove(fixture, user) == "E03")
            #expect(try fixture.user(try await signIn(fixture)).id == user.id)
            fixture.providers.oidc.set(OIDCStandin.Twist())
            #expect(try await prove(fixture, user) == "")
        }
    }

    @Test("A21: a token without the time of the sign-in is no proof, unless no token of its issuer has it")
    func unknownTime() async throws {
        for (claims, outcome) in [(nil, "E03"), (["sub", "auth_time"], "E03"), (["sub"], "")] as [([String]?, String)] {
            try await AuthFixture.run { fixture async throws in
                fixture.providers.oidc.set(claims: claims)
                let user = try fixture.user(try await signIn(fixture))
                #expect(try await prove(fixture, user, asksAgain: false) == outcome, "\(claims ?? [])")
                #expect(try await prove(fixture, user) == "")
            }
        }
    }
}
