import Crypto
import ServiceKit
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import auth_service

@Suite("Our own keys")
struct KeyRotationTests {
    private static let day = 86_400_000

    private func keyID(_ token: String) throws -> String {
        let head = try #require(token.split(separator: ".").first)
        let header = try JSONValue(parsing: Base64.decode(head.utf8.span, .url) ?? [])
        return try #require(header["kid"]?.string)
    }

    /// As if the newest key had been made so much earlier.
    private func age(_ house: AuthHouse, by milliseconds: Int) async throws {
        _ = try await house.service.database.run(
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
            "POST", "/v1/users/login", json: #"{"email":"a@b.kr","password":"\#(AuthHouse.password)"}"#)
        return try #require(try reply.json["token"]?["accessToken"]?.string)
    }

    @Test("A new key is published before it signs, and tokens of the old one hold on: nobody is logged out")
    func rotation() async throws {
        try await AuthHouse.run { house async throws in
            let guest = try await house.join()
            let old = try keyID(guest.access)
            try await age(house, by: 31 * Self.day)
            var new = ""
            try await house.withInstance { second async throws in
                let both = try await published(second)
                #expect(both.count == 2 && both.contains(old))
                new = try #require(both.subtracting([old]).first)
                #expect(try keyID(try await logIn(second)) == old, "others may not know the new one yet")
            }
            try await age(house, by: 301_000)
            try await house.withInstance { third async throws in
                let token = try await logIn(third)
                #expect(try keyID(token) == new)
                #expect(try await third.call("GET", "/v1/users/me", token: guest.access).status == 200)
                // The first instance has not seen the key before; it asks once a second at most.
                try await eventually("the key") { try await house.me(token).status == 200 }
                let refreshed = try await third.call(
                    "GET", "/v1/auth/refresh", headers: [("RefreshToken", guest.refresh)])
                #expect(refreshed.status == 200)
            }
        }
    }

    @Test("A key is forgotten when the last token that it may have signed has expired")
    func forgotten() async throws {
        try await AuthHouse.run { house async throws in
            let old = try keyID(try await house.join().access)
            // It signs for 30 days, and the longest session lasts 90.
            try await age(house, by: 119 * Self.day)
            try await house.withInstance { later async throws in
                #expect(try await published(later).contains(old))
            }
            _ = try await house.service.database.run(
                sql: "update auth.signing_key set created_at = created_at - \(2 * Self.day)")
            try await house.withInstance { later async throws in
                #expect(try await !published(later).contains(old))
            }
        }
    }

    @Test("Instances that start at once agree on one key")
    func agreement() async throws {
        try await AuthHouse.run { house async throws in
            _ = try await house.service.database.run(sql: "delete from auth.signing_key")
            let keys = Collected()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 1...3 {
                    group.addTask {
                        try await house.withInstance { instance async throws in
                            await keys.add(try await published(instance))
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(await keys.all.count == 1)
        }
    }

    @Test("As many keys as the shortest rotation leaves published can be read; a shorter one is refused in words")
    func shortest() async throws {
        // A session lives for 90 days.
        let shortest = 123_434
        try await AuthHouse.run(["key_rotation": "\(shortest)s"]) { house async throws in
            _ = try await house.service.database.run(
                sql: """
                    insert into auth.signing_key select id || number, private_key, created_at - number * \(shortest)000::bigint
                    from auth.signing_key, generate_series(1, 100) as number
                    """)
            let keys = try await house.service.internalCall("GET", "/internal/keys").json
            #expect(try VerificationKeySet(jwks: keys).keys.count > 60)
        }
        let refusal = ConfigError(
            "key_rotation must be at least \(shortest)s: sessions last up to 90d, and no more than 64 keys can be published"
        )
        await #expect(throws: refusal) {
            try await AuthHouse.run(["key_rotation": "\(shortest - 1)s"]) { _ in }
        }
    }

    private actor Collected {
        private(set) var all: Set<String> = []

        func add(_ more: Set<String>) { all.formUnion(more) }
    }
}
