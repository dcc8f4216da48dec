import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import auth_service
@testable import standins

@Suite("Signing in with OpenID Connect")
struct OIDCTests {
    private static let redirect = "com.example.chat:/signed-in"

    /// A sign-in that has begun: the ticket of the app, and the parameters for the issuer.
    private struct Begun {
        let ticket: String
        var parameters: [String: String]
    }

    private func sql(_ fixture: AuthFixture, _ statement: String) async throws -> String {
        String(try await fixture.service.database.run(sql: statement).prefix { $0 != "\n" })
    }

    private func begin(_ fixture: AuthFixture, with issuer: String = "first") async throws -> Begun {
        let reply = try await fixture.service.call(
            "POST", "/v1/auth/oidc/\(issuer)", json: #"{"redirect":"\#(Self.redirect)"}"#)
        #expect(reply.status == 200, "\(reply.text)")
        let json = try reply.json
        let url = try #require(json["url"]?.string)
        #expect(url.hasPrefix(fixture.issuer(issuer) + "/authorize?"))
        let query = try #require(QueryParameters(Array(url.drop { $0 != "?" }.dropFirst().utf8)[...]))
        let names = ["client_id", "redirect_uri", "state", "nonce", "code_challenge", "code_challenge_method", "scope"]
        let pairs = names.compactMap { name in query[name].map { (name, $0) } }
        #expect(pairs.count == names.count && query["response_type"] == "code")
        return Begun(
            ticket: try #require(json["ticket"]?.string), parameters: Dictionary(uniqueKeysWithValues: pairs))
    }

    /// Lets the person sign in at an issuer, and returns the parameters of the address that they come back to.
    private func authorize(
        _ fixture: AuthFixture, _ begun: Begun, at issuer: String = "first"
    ) throws -> [String: String] {
        let address = try fixture.providers.oidc.authorize(at: issuer, fixture.providersURL, begun.parameters)
        let query = try #require(QueryParameters(Array(address.drop { $0 != "?" }.dropFirst().utf8)[...]))
        return Dictionary(
            uniqueKeysWithValues: ["code", "state", "iss"].compactMap { name in query[name].map { (name, $0) } })
    }

    private func finish(
        _ fixture: AuthFixture, _ ticket: String, _ reply: [String: String], key: String = "native"
    ) async throws -> HTTPCall.Reply {
        let members = (reply.map { ($0.key, $0.value) } + [("ticket", ticket)]).map { #""\#($0.0)":"\#($0.1)""# }
        return try await fixture.service.call(
            "POST", "/v1/users/login/oidc", key: key, json: "{\(members.joined(separator: ","))}")
    }

    private func signIn(_ fixture: AuthFixture, at issuer: String = "first") async throws -> HTTPCall.Reply {
        let begun = try await begin(fixture, with: issuer)
        return try await finish(fixture, begun.ticket, try authorize(fixture, begun, at: issuer))
    }

    @Test("A user of an issuer gets the same account each time, and others get others")
    func sameAccount() async throws {
        try await AuthFixture.run { fixture async throws in
            let list = try await fixture.service.call("GET", "/v1/auth/oidc")
            #expect(list.text == #"{"issuers":[{"name":"first","title":"첫째"},{"name":"second","title":"second"}]}"#)
            let first = try await signIn(fixture)
            let user = try fixture.user(first)
            #expect(try first.json["email"]?.string == "person@example.com" && first.json["nickname"]?.string == "사람")
            #expect(try fixture.user(try await signIn(fixture)).id == user.id)
            #expect(try await fixture.me(user.access).status == 200)
            // The same subject of another issuer is another person.
            fixture.providers.oidc.set(OIDCStandin.Person(email: nil))
            #expect(try fixture.user(try await signIn(fixture, at: "second")).id != user.id)
            fixture.providers.oidc.set(OIDCStandin.Person(subject: "person-2", email: nil))
            #expect(try fixture.user(try await signIn(fixture)).id != user.id)
        }
    }

    @Test("A24: an issuer's verified address links to the verified account of that address, an unverified one to none")
    func linking() async throws {
        try await AuthFixture.run { fixture async throws in
            let user = try fixture.user(try await fixture.kakao("kakao-7-person@example.com"))
            #expect(try fixture.user(try await signIn(fixture)).id == user.id)
            fixture.providers.oidc.set(OIDCStandin.Person(subject: "person-2", isVerified: false))
            #expect(try fixture.user(try await signIn(fixture)).id != user.id)
            _ = try await fixture.join("owned@b.kr")
            fixture.providers.oidc.set(OIDCStandin.Person(subject: "person-3", email: "owned@b.kr"))
            #expect(try await signIn(fixture).errorCode == "E12")
        }
    }

    @Test("A21: a reply works once, with its own ticket and state, in its own app and for ten minutes")
    func replay() async throws {
        try await AuthFixture.run { fixture async throws in
            let begun = try await begin(fixture)
            let reply = try authorize(fixture, begun)
            #expect(try await finish(fixture, begun.ticket, reply).status == 200)
            #expect(try await finish(fixture, begun.ticket, reply).errorCode == "E02")
            // A caught reply, without the ticket or with that of another sign-in.
            let (mine, theirs) = (try await begin(fixture), try await begin(fixture))
            let caught = try authorize(fixture, theirs)
            #expect(try await finish(fixture, "nonsense", caught).errorCode == "E02")
            #expect(try await finish(fixture, mine.ticket, caught).errorCode == "E02")
            // The wrong try has used up `mine`, and `theirs` still works.
            #expect(try await finish(fixture, mine.ticket, try authorize(fixture, mine)).errorCode == "E02")
            #expect(try await finish(fixture, theirs.ticket, caught).status == 200)
            let old = try await begin(fixture)
            _ = try await sql(fixture, "update auth.oidc_sign_in set expires_at = 1")
            #expect(try await finish(fixture, old.ticket, try authorize(fixture, old)).errorCode == "E02")
            let spent = try await begin(fixture)
            let code = try #require(try authorize(fixture, begun)["code"])
            #expect(
                try await finish(fixture, spent.ticket, ["code": code, "state": spent.parameters["state"] ?? ""])
                    .errorCode == "E02")
        }
    }

    @Test("A21: a code of another sign-in is refused by its verifier (PKCE), and one of another issuer goes nowhere")
    func mixUp() async throws {
        try await AuthFixture.run { fixture async throws in
            // The code of an attacker's sign-in in the reply of a victim.
            let (victim, attacker) = (try await begin(fixture), try await begin(fixture))
            var reply = try authorize(fixture, victim)
            reply["code"] = try authorize(fixture, attacker)["code"]
            #expect(try await finish(fixture, victim.ticket, reply).errorCode == "E03")
            // A reply of the second issuer to a sign-in with the first.
            let first = try await begin(fixture)
            #expect(
                try await finish(fixture, first.ticket, try authorize(fixture, first, at: "second")).errorCode == "E02")
            // An issuer that names itself in its replies must do so in each.
            let nameless = try await begin(fixture)
            var cut = try authorize(fixture, nameless)
            cut["iss"] = nil
            #expect(try await finish(fixture, nameless.ticket, cut).errorCode == "E02")
        }
        try await AuthFixture.run { fixture async throws in
            // Without names, the code of the second issuer is refused by the first.
            fixture.providers.oidc.set(namesItself: false)
            #expect(try await signIn(fixture).status == 200)
            let begun = try await begin(fixture)
            #expect(
                try await finish(fixture, begun.ticket, try authorize(fixture, begun, at: "second")).errorCode == "E03")
        }
    }

    @Test("A21: a token of another issuer, audience, party, nonce or key, or an expired one, is refused")
    func tokens() async throws {
        try await AuthFixture.run { fixture async throws in
            #expect(try await signIn(fixture).status == 200)
            let twists = [
                OIDCStandin.Twist(issuer: fixture.issuer("second")), OIDCStandin.Twist(audience: ["other"]),
                OIDCStandin.Twist(audience: ["maru", "other"]),
                OIDCStandin.Twist(audience: ["maru", "other"], party: "other"), OIDCStandin.Twist(party: "other"),
                OIDCStandin.Twist(nonce: "another"), OIDCStandin.Twist(expiry: Timestamp.now.seconds - 120),
                OIDCStandin.Twist(isForged: true),
            ]
            for (index, twist) in twists.enumerated() {
                fixture.providers.oidc.set(twist)
                #expect(try await signIn(fixture).errorCode == "E03", "twist \(index)")
            }
            fixture.providers.oidc.set(OIDCStandin.Twist(audience: ["other", "maru"], party: "maru"))
            #expect(try await signIn(fixture).status == 200)
        }
    }

    @Test("A21: a new key of an issuer works at once, and an issuer that fails is E99")
    func rotation() async throws {
        try await AuthFixture.run(["oidc_key_interval": "0s"]) { fixture async throws in
            #expect(try await signIn(fixture).status == 200)
            fixture.providers.oidc.rotate("first")
            #expect(try await signIn(fixture).status == 200)
            for answer in [StandinBehaviors.Answer.refuse, .nonsense] {
                let begun = try await begin(fixture)
                let reply = try authorize(fixture, begun)
                fixture.providers.behaviors.set(StandinBehaviors.Behavior(answer: answer), of: .oidc)
                #expect(try await finish(fixture, begun.ticket, reply).errorCode == "E99")
                fixture.providers.behaviors.set(StandinBehaviors.Behavior(), of: .oidc)
            }
        }
    }

    @Test("D1: a new sign-in with the linked issuer confirms a deletion, and one of another user does not")
    func deletion() async throws {
        try await AuthFixture.run { fixture async throws in
            // Without an address nobody can set a password, so the issuer is the only proof.
            fixture.providers.oidc.set(OIDCStandin.Person(subject: "person-2", email: nil))
            let other = try fixture.user(try await signIn(fixture))
            fixture.providers.oidc.set(OIDCStandin.Person(email: nil))
            let user = try fixture.user(try await signIn(fixture))
            func confirm(_ method: String, _ path: String, _ access: String) async throws -> HTTPCall.Reply {
                var begun = try await begin(fixture)
                begun.parameters["max_age"] = "0"
                let reply = try authorize(fixture, begun)
                let members = [
                    ("ticket", begun.ticket), ("state", reply["state"] ?? ""),
                    ("authorizationCode", reply["code"] ?? ""), ("iss", reply["iss"] ?? ""),
                ]
                let json = members.map { #""\#($0.0)":"\#($0.1)""# }.joined(separator: ",")
                return try await fixture.service.call(method, path, token: access, json: "{\(json)}")
            }
            #expect(try await confirm("POST", SecondFactorFixture.path, user.access).status == 200)
            #expect(try await confirm("DELETE", "/v1/users/me", other.access).errorCode == "E03")
            #expect(try await fixture.me(other.access).status == 200)
            #expect(
                try await fixture.service.call(
                    "DELETE", "/v1/users/me", token: user.access,
                    json: #"{"ticket":"nonsense","state":"a","authorizationCode":"b"}"#
                ).errorCode == "E03")
            let deleted = try await confirm("DELETE", "/v1/users/me", user.access)
            #expect(deleted.status == 200, "\(deleted.text)")
            #expect(try await fixture.me(user.access).errorCode == "E05")
            #expect(try fixture.user(try await signIn(fixture)).id != user.id)
        }
    }

    @Test("A21: only registered addresses of known issuers begin a sign-in")
    func begins() async throws {
        try await AuthFixture.run { fixture async throws in
            for (issuer, redirect, code) in [
                ("first", "https://evil.example/", "E11"), ("first", "\(Self.redirect)/more", "E11"),
                ("third", Self.redirect, "E13"),
            ] {
                let reply = try await fixture.service.call(
                    "POST", "/v1/auth/oidc/\(issuer)", json: #"{"redirect":"\#(redirect)"}"#)
                #expect(reply.errorCode == code)
            }
        }
    }
}
