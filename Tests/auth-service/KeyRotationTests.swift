import Crypto
import ServiceKit
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import auth_service

@Suite("Signing keys")
struct KeyRotationTests {
    private static let day = 86_400_000

    private func keyID(_ token: String) throws -> String {
        let head = try #require(token.split(separator: ".").first)
        let header = try JSONValue(parsing: Base64.decode(head.utf8.span, .url) ?? [])
        return try #require(header["kid"]?.string)
    }

    /// Makes the newest key look older.
    private func age(_ fixture: AuthFixture, by milliseconds: Int) async throws {
        _ = try await fixture.service.database.run(
            sql: """
                update auth.signing_key set created_at = created_at - \(milliseconds)
                where created_at = (select max(created_at) from auth.signing_key)
                """)
    }

    private func published(_ service: ServiceUnderTest) async throws -> Set<String> {
        let keys = try await service.internalCall("GET", "/internal/keys").json["keys"]?.elements
        return Set(keys?.compactMap { $0["kid"]?.string } ?? [])
    }

    private func logIn(_ service: ServiceUnderTest) async throws -> String {
        let reply = try await service.call(
            "POST", "/v1/users/login", json: #"{"email":"a@b.kr","password":"\#(AuthFixture.password)"}"#)
        return try #require(try reply.json["token"]?["accessToken"]?.string)
    }

    @Test("A new key is published before it signs, and tokens of the old key stay valid: no user is logged out")
    func rotation() async throws {
        try await AuthFixture.run { fixture async throws in
            let user = try await fixture.join()
            let old = try keyID(user.access)
            try await age(fixture, by: 31 * Self.day)
            var new = ""
            try await fixture.withInstance { second async throws in
                let both = try await published(second)
                #expect(both.count == 2 && both.contains(old))
                new = try #require(both.subtracting([old]).first)
                #expect(
                    try keyID(try await logIn(second)) == old, "other services may not have fetched the new key yet")
            }
            try await age(fixture, by: 301_000)
            try await fixture.withInstance { third async throws in
                let token = try await logIn(third)
                #expect(try keyID(token) == new)
                #expect(try await third.call("GET", "/v1/users/me", token: user.access).status == 200)
                // The first instance has not fetched the key yet; it fetches at most once a second.
                try await eventually("the key") { try await fixture.me(token).status == 200 }
                let refreshed = try await third.call(
                    "GET", "/v1/auth/refresh", headers: [("RefreshToken", user.refresh)])
                #expect(refreshed.status == 200)
            }
        }
    }

    @Test("A key is deleted when the last token that it may have signed has expired")
    func forgotten() async throws {
        try await AuthFixture.run { fixture async throws in
            let old = try keyID(try await fixture.join().access)
            // It signs for 30 days, and the longest session lasts 90.
            try await age(fixture, by: 119 * Self.day)
            try await fixture.withInstance { later async throws in
                #expect(try await published(later).contains(old))
            }
            _ = try await fixture.service.database.run(
                sql: "update auth.signing_key set created_at = created_at - \(2 * Self.day)")
            try await fixture.withInstance { later async throws in
                #expect(try await !published(later).contains(old))
            }
        }
    }

    @Test("Instances that start at once agree on one key")
    func agreement() async throws {
        try await AuthFixture.run { fixture async throws in
            _ = try await fixture.service.database.run(sql: "delete from auth.signing_key")
            let keys = Collected()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 1...3 {
                    group.addTask {
                        try await fixture.withInstance { instance async throws in
                            await keys.add(try await published(instance))
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(await keys.all.count == 1)
        }
    }

    @Test(
        "Readers accept the number of keys that the shortest rotation publishes; a shorter rotation is refused at the start"
    )
    func shortest() async throws {
        // A session lives for 90 days.
        let shortest = 123_434
        try await AuthFixture.run(["key_rotation": "\(shortest)s"]) { fixture async throws in
            _ = try await fixture.service.database.run(
                sql: """
                    insert into auth.signing_key select id || number, private_key, created_at - number * \(shortest)000::bigint
                    from auth.signing_key, generate_series(1, 100) as number
                    """)
            let keys = try await fixture.service.internalCall("GET", "/internal/keys").json
            #expect(try VerificationKeySet(jwks: keys).keys.count > 60)
        }
        let refusal = ConfigError(
            "key_rotation must be at least \(shortest)s: sessions last up to 90d, and no more than 64 keys can be published"
        )
        await #expect(throws: refusal) {
            try await AuthFixture.run(["key_rotation": "\(shortest - 1)s"]) { _ in }
        }
    }

    @Test("A fresh token is valid on a machine with a clock that is two seconds behind")
    func slowClock() async throws {
        try await AuthFixture.run { fixture async throws in
            let user = try await fixture.join()
            let keys = try await fixture.service.internalCall("GET", "/internal/keys").json
            let verifier = JWTVerifier(
                keys: try VerificationKeySet(jwks: keys), issuer: Authenticator.issuer,
                audiences: [Authenticator.Purpose.access.audience], type: .named(Authenticator.Purpose.access.type))
            let claims = try verifier.verify(Array(user.access.utf8).span, now: Timestamp.now - .seconds(2))
            #expect(claims["sub"]?.string == "\(user.id)")
        }
    }

    private actor Collected {
        private(set) var all: Set<String> = []

        func add(_ more: Set<String>) { all.formUnion(more) }
    }
}
