import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import auth_service
@testable import standins

@Suite("Signing in with providers")
struct ProviderTests {
    @Test("A person of Kakao is the same account each time, with the name that Kakao has")
    func kakao() async throws {
        try await AuthHouse.run { house async throws in
            let first = try await house.kakao("kakao-7-k@b.kr").json
            #expect(first["nickname"]?.string == "카카오7")
            #expect(first["email"]?.string == "k@b.kr")
            #expect(first["provider"]?.string == "kakao")
            let id = first["user_id"]?.string
            #expect(try await house.kakao("kakao-7").json["user_id"]?.string == id)
            #expect(try await house.kakao("kakao-8").json["user_id"]?.string != id)
        }
    }

    @Test("A token that Kakao made for another app lets nobody in")
    func otherApp() async throws {
        try await AuthHouse.run(["kakao_app_id": "999"]) { house async throws in
            #expect(try await house.kakao("kakao-7-k@b.kr").errorCode == "E03")
            #expect(try await house.service.database.run(sql: "select count(*) from auth.account").contains("0"))
        }
    }

    @Test("A token that Kakao does not know is E03, and a Kakao that fails or talks nonsense is our failure")
    func kakaoFails() async throws {
        try await AuthHouse.run { house async throws in
            for token in ["unknown", "with blank", "x\\r\\nEvil: 1", ""] {
                #expect(try await house.kakao(token).errorCode == "E03")
            }
            for answer in [Moods.Answer.refuse, .nonsense] {
                house.providers.moods.set(Moods.Mood(answer: answer), of: .kakao)
                let reply = try await house.kakao("kakao-7")
                #expect(reply.errorCode == "E99")
                #expect(reply.status == 503)
            }
        }
    }

    @Test("An identity token of Apple lets its person in; the name is that of the first sign-in")
    func apple() async throws {
        try await AuthHouse.run { house async throws in
            let first = try await house.apple("sub=001.a&email=p@b.kr", nickname: "애플").json
            #expect(first["nickname"]?.string == "애플")
            #expect(first["provider"]?.string == "apple")
            let again = try await house.apple("sub=001.a&email=p@b.kr", nickname: "다른").json
            #expect(again["user_id"]?.string == first["user_id"]?.string)
            #expect(again["nickname"]?.string == "애플")
        }
    }

    @Test(
        "A token of Apple's that is not for us, not from Apple, expired or signed by somebody else is E03",
        arguments: [
            "aud=com.example.other", "iss=https://evil.example", "exp=1000", "key=unpublished", "kid=unknown",
            "key=unpublished&kid=unknown",
        ])
    func refused(claims: String) async throws {
        try await AuthHouse.run { house async throws in
            #expect(try await house.apple("sub=001.a&email=p@b.kr&" + claims).errorCode == "E03")
            #expect(try await house.appleToken("a.b.c").errorCode == "E03")
        }
    }

    @Test("A nonce is good once")
    func nonce() async throws {
        try await AuthHouse.run { house async throws in
            #expect(try await house.apple("sub=001.a&nonce=n1").status == 200)
            #expect(try await house.apple("sub=001.a&nonce=n1").errorCode == "E03")
            #expect(try await house.apple("sub=001.a&nonce=n2").status == 200)
        }
    }

    @Test("A nonce stays used in other instances, and after they and Redis have been restarted")
    func durableNonce() async throws {
        try await AuthHouse.run { house async throws in
            #expect(try await house.apple("sub=001.a&nonce=n1").status == 200)
            try await house.service.redis.restart()
            let token = try house.providers.apple.token(try #require(QueryParameters("sub=001.a&nonce=n1")))
            try await house.withInstance { other async throws in
                let reply = try await other.call("POST", "/v1/users/login/apple", json: #"{"idToken":"\#(token)"}"#)
                #expect(reply.errorCode == "E03")
            }
        }
    }

    @Test("A key that Apple signs with from now on is fetched when a token names it")
    func rotatedKeys() async throws {
        try await AuthHouse.run(["apple_key_interval": "100ms"]) { house async throws in
            #expect(try await house.apple("sub=001.a").status == 200)
            for _ in 1...2 {
                house.providers.apple.rotate()
                try await eventually("a token of the new key") {
                    try await house.apple("sub=001.a").status == 200
                }
            }
        }
    }

    @Test("Tokens that name unknown keys, however many, make Apple be asked once in a while only")
    func limitedFetches() async throws {
        try await AuthHouse.run { house async throws in
            let codes = try await withThrowingTaskGroup(of: String.self) { group in
                for number in 1...40 {
                    group.addTask { try await house.apple("sub=001.a&kid=unknown-\(number)").errorCode }
                }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(codes == ["E03"])
            #expect(house.providers.apple.asked <= 2)
            #expect(try await house.apple("sub=001.a").status == 200)
        }
    }

    @Test("While Apple does not answer, its known keys serve on; without any it is our failure")
    func appleFails() async throws {
        try await AuthHouse.run { house async throws in
            house.providers.moods.set(Moods.Mood(answer: .refuse), of: .apple)
            #expect(try await house.apple("sub=001.a").errorCode == "E99")
            house.providers.moods.set(Moods.Mood(), of: .apple)
            #expect(try await house.apple("sub=001.a").status == 200)
            house.providers.moods.set(Moods.Mood(answer: .nonsense), of: .apple)
            #expect(try await house.apple("sub=001.b").status == 200)
        }
    }

    @Test("Accounts link by an email that both sides have verified")
    func linked() async throws {
        try await AuthHouse.run { house async throws in
            let kakao = try await house.kakao("kakao-7-both@b.kr").json["user_id"]?.string
            let apple = try await house.apple("sub=001.a&email=BOTH@b.kr").json["user_id"]?.string
            #expect(kakao != nil && kakao == apple)
        }
    }

    @Test("An account whose email nobody has verified is not taken over: E12")
    func notLinked() async throws {
        try await AuthHouse.run { house async throws in
            _ = try await house.join("mine@b.kr")
            #expect(try await house.kakao("kakao-7-mine@b.kr").errorCode == "E12")
            #expect(try await house.apple("sub=001.a&email=mine@b.kr").errorCode == "E12")
        }
    }

    @Test("An email that the provider has not verified makes an account of its own without it")
    func unverified() async throws {
        try await AuthHouse.run { house async throws in
            let owner = try await house.kakao("kakao-7-x@b.kr").json["user_id"]?.string
            let other = try await house.kakao("kakao-unverified-8-x@b.kr").json
            #expect(other["user_id"]?.string != owner)
            #expect(other["email"]?.string != "x@b.kr")
            let third = try await house.apple("sub=1&email=x@b.kr&email_verified=false").json
            #expect(third["user_id"]?.string != owner)
        }
    }

    @Test(
        "A person whose first sign-ins come all at once is let in by each of them, with one account",
        arguments: ["kakao-7-k@b.kr", "kakao-7"])
    func atOnce(token: String) async throws {
        try await AuthHouse.run { house async throws in
            let ids = try await withThrowingTaskGroup(of: String?.self) { group in
                for _ in 1...12 {
                    group.addTask { try await house.kakao(token).json["user_id"]?.string }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(!ids.contains(nil) && Set(ids).count == 1)
            #expect(try await house.service.database.run(sql: "select count(*) from auth.account") == "1\n")
        }
    }

    @Test("Two providers that vouch for the same email at once mean one account")
    func linkedAtOnce() async throws {
        try await AuthHouse.run { house async throws in
            for round in 1...4 {
                let ids = try await withThrowingTaskGroup(of: String?.self) { group in
                    for number in 1...8 {
                        group.addTask {
                            let reply =
                                number.isMultiple(of: 2)
                                ? try await house.kakao("kakao-\(round)\(number)-\(round)@b.kr")
                                : try await house.apple("sub=\(round)\(number)&email=\(round)@b.kr")
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
