import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import auth_service
@testable import standins

@Suite("Signing in with providers")
struct ProviderTests {
    @Test("A Kakao user gets the same account each time, with Kakao's nickname")
    func kakao() async throws {
        try await AuthFixture.run { fixture async throws in
            let first = try await fixture.kakao("kakao-7-k@b.kr").json
            #expect(first["nickname"]?.string == "카카오7")
            #expect(first["email"]?.string == "k@b.kr")
            #expect(first["provider"]?.string == "kakao")
            let id = first["user_id"]?.string
            #expect(try await fixture.kakao("kakao-7").json["user_id"]?.string == id)
            #expect(try await fixture.kakao("kakao-8").json["user_id"]?.string != id)
        }
    }

    @Test("A Kakao token for another app is refused")
    func otherApp() async throws {
        try await AuthFixture.run(["kakao_app_id": "999"]) { fixture async throws in
            #expect(try await fixture.kakao("kakao-7-k@b.kr").errorCode == "E03")
            #expect(try await fixture.service.database.run(sql: "select count(*) from auth.account").contains("0"))
        }
    }

    @Test("A token unknown to Kakao is E03, and an error or nonsense from Kakao is E99")
    func kakaoFails() async throws {
        try await AuthFixture.run { fixture async throws in
            for token in ["unknown", "with blank", "x\\r\\nEvil: 1", ""] {
                #expect(try await fixture.kakao(token).errorCode == "E03")
            }
            for answer in [StandinBehaviors.Answer.refuse, .nonsense] {
                fixture.providers.behaviors.set(StandinBehaviors.Behavior(answer: answer), of: .kakao)
                let reply = try await fixture.kakao("kakao-7")
                #expect(reply.errorCode == "E99")
                #expect(reply.status == 503)
            }
        }
    }

    @Test("An Apple identity token signs its user in; the nickname is that of the first sign-in")
    func apple() async throws {
        try await AuthFixture.run { fixture async throws in
            let first = try await fixture.apple("sub=001.a&email=p@b.kr", nickname: "애플").json
            #expect(first["nickname"]?.string == "애플")
            #expect(first["provider"]?.string == "apple")
            let again = try await fixture.apple("sub=001.a&email=p@b.kr", nickname: "다른").json
            #expect(again["user_id"]?.string == first["user_id"]?.string)
            #expect(again["nickname"]?.string == "애플")
        }
    }

    @Test(
        "An Apple token with another audience, issuer or signature, or an expired one, is E03",
        arguments: [
            "aud=com.example.other", "iss=https://evil.example", "exp=1000", "key=unpublished", "kid=unknown",
            "key=unpublished&kid=unknown",
        ])
    func refused(claims: String) async throws {
        try await AuthFixture.run { fixture async throws in
            #expect(try await fixture.apple("sub=001.a&email=p@b.kr&" + claims).errorCode == "E03")
            #expect(try await fixture.appleToken("a.b.c").errorCode == "E03")
        }
    }

    @Test("A nonce is accepted once")
    func nonce() async throws {
        try await AuthFixture.run { fixture async throws in
            #expect(try await fixture.apple("sub=001.a&nonce=n1").status == 200)
            #expect(try await fixture.apple("sub=001.a&nonce=n1").errorCode == "E03")
            #expect(try await fixture.apple("sub=001.a&nonce=n2").status == 200)
        }
    }

    @Test("An Apple token without a nonce is accepted once")
    func withoutNonce() async throws {
        try await AuthFixture.run { fixture async throws in
            let token = try fixture.providers.apple.token(try #require(QueryParameters("sub=001.a&email=p@b.kr")))
            #expect(try await fixture.appleToken(token).status == 200)
            #expect(try await fixture.appleToken(token).errorCode == "E03")
        }
    }

    @Test("A used nonce is refused by other instances and after a restart of Redis")
    func durableNonce() async throws {
        try await AuthFixture.run { fixture async throws in
            #expect(try await fixture.apple("sub=001.a&nonce=n1").status == 200)
            try await fixture.service.redis.restart()
            let token = try fixture.providers.apple.token(try #require(QueryParameters("sub=001.a&nonce=n1")))
            try await fixture.withInstance { other async throws in
                let reply = try await other.call("POST", "/v1/users/login/apple", json: #"{"idToken":"\#(token)"}"#)
                #expect(reply.errorCode == "E03")
            }
        }
    }

    @Test("A new key of Apple's is fetched when a token names it")
    func rotatedKeys() async throws {
        try await AuthFixture.run(["apple_key_interval": "100ms"]) { fixture async throws in
            #expect(try await fixture.apple("sub=001.a").status == 200)
            for _ in 1...2 {
                fixture.providers.apple.rotate()
                try await eventually("a token of the new key") {
                    try await fixture.apple("sub=001.a").status == 200
                }
            }
        }
    }

    @Test("Many tokens with unknown keys cause few fetches of Apple's keys")
    func limitedFetches() async throws {
        // A busy machine may take longer than the usual interval for all of them.
        try await AuthFixture.run(["apple_key_interval": "3600s"]) { fixture async throws in
            let codes = try await withThrowingTaskGroup(of: String.self) { group in
                for number in 1...40 {
                    group.addTask { try await fixture.apple("sub=001.a&kid=unknown-\(number)").errorCode }
                }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(codes == ["E03"])
            #expect(fixture.providers.apple.fetches <= 2)
            #expect(try await fixture.apple("sub=001.a").status == 200)
        }
    }

    @Test("While Apple does not answer, its cached keys are used; without any the reply is E99")
    func appleFails() async throws {
        try await AuthFixture.run { fixture async throws in
            fixture.providers.behaviors.set(StandinBehaviors.Behavior(answer: .refuse), of: .apple)
            #expect(try await fixture.apple("sub=001.a").errorCode == "E99")
            fixture.providers.behaviors.set(StandinBehaviors.Behavior(), of: .apple)
            #expect(try await fixture.apple("sub=001.a").status == 200)
            fixture.providers.behaviors.set(StandinBehaviors.Behavior(answer: .nonsense), of: .apple)
            #expect(try await fixture.apple("sub=001.b").status == 200)
        }
    }

    @Test("Accounts are linked by an email that both providers have verified")
    func linked() async throws {
        try await AuthFixture.run { fixture async throws in
            let kakao = try await fixture.kakao("kakao-7-both@b.kr").json["user_id"]?.string
            let apple = try await fixture.apple("sub=001.a&email=BOTH@b.kr").json["user_id"]?.string
            #expect(kakao != nil && kakao == apple)
        }
    }

    @Test("Verified emails that are equal only after Unicode folding give different accounts")
    func notFolded() async throws {
        try await AuthFixture.run { fixture async throws in
            let emails = [
                "u@strasse.de", "u@stra%C3%9Fe.de", "k@b.kr", "%E2%84%AA@b.kr", "u@b.kr", "%EF%BD%95@b.kr",
                "jos%C3%A9@b.kr",
                "JOS%C3%89@b.kr",
            ]
            var ids: Set<String> = []
            for (number, email) in emails.enumerated() {
                let reply = try await fixture.apple("sub=\(number)&email=\(email)")
                ids.insert(try #require(try reply.json["user_id"]?.string, "\(email): \(reply.text)"))
            }
            #expect(ids.count == emails.count)
        }
    }

    @Test("A domain and its A-labels are the same address")
    func aLabels() async throws {
        try await AuthFixture.run { fixture async throws in
            let first = try await fixture.apple("sub=1&email=u@stra%C3%9Fe.de").json["user_id"]?.string
            let second = try await fixture.apple("sub=2&email=u@XN--STRAE-OQA.de").json["user_id"]?.string
            #expect(first != nil && first == second)
        }
    }

    @Test("Two users with one verified email that is not ASCII get different accounts")
    func notASCII() async throws {
        try await AuthFixture.run { fixture async throws in
            let first = try await fixture.apple("sub=1&email=jos%C3%A9@b.kr").json
            let second = try await fixture.apple("sub=2&email=jos%C3%A9@b.kr").json
            #expect(first["email"]?.string == "jos\u{E9}@b.kr")
            #expect(second["user_id"] != nil && second["user_id"]?.string != first["user_id"]?.string)
            #expect(second["email"]?.string?.hasSuffix("@users.invalid") == true)
        }
    }

    @Test("An account with an unverified email is not linked: E12")
    func notLinked() async throws {
        try await AuthFixture.run { fixture async throws in
            _ = try await fixture.join("mine@b.kr")
            #expect(try await fixture.kakao("kakao-7-mine@b.kr").errorCode == "E12")
            #expect(try await fixture.apple("sub=001.a&email=mine@b.kr").errorCode == "E12")
        }
    }

    @Test("An email that the provider has not verified is not used for the new account")
    func unverified() async throws {
        try await AuthFixture.run { fixture async throws in
            let owner = try await fixture.kakao("kakao-7-x@b.kr").json["user_id"]?.string
            let other = try await fixture.kakao("kakao-unverified-8-x@b.kr").json
            #expect(other["user_id"]?.string != owner)
            #expect(other["email"]?.string != "x@b.kr")
            let third = try await fixture.apple("sub=1&email=x@b.kr&email_verified=false").json
            #expect(third["user_id"]?.string != owner)
        }
    }

    @Test(
        "Concurrent first sign-ins of one user all succeed with one account",
        arguments: ["kakao-7-k@b.kr", "kakao-7"])
    func atOnce(token: String) async throws {
        try await AuthFixture.run { fixture async throws in
            let ids = try await withThrowingTaskGroup(of: String?.self) { group in
                for _ in 1...12 {
                    group.addTask { try await fixture.kakao(token).json["user_id"]?.string }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(!ids.contains(nil) && Set(ids).count == 1)
            #expect(try await fixture.service.database.run(sql: "select count(*) from auth.account") == "1\n")
        }
    }

    @Test("Concurrent first sign-ins with two providers and one verified email give one account")
    func linkedAtOnce() async throws {
        try await AuthFixture.run { fixture async throws in
            for round in 1...4 {
                let ids = try await withThrowingTaskGroup(of: String?.self) { group in
                    for number in 1...8 {
                        group.addTask {
                            let reply =
                                number.isMultiple(of: 2)
                                ? try await fixture.kakao("kakao-\(round)\(number)-\(round)@b.kr")
                                : try await fixture.apple("sub=\(round)\(number)&email=\(round)@b.kr")
                            return try reply.json["user_id"]?.string
                        }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(!ids.contains(nil) && Set(ids).count == 1)
            }
        }
    }
}
