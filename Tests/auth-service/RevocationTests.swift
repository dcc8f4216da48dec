import EventLoop
import HTTP
import ServiceKit
import ServiceSupport
import TestSupport
import Testing

@testable import auth_service

@Suite("Revocations in other services")
struct RevocationTests {
    /// Another service, which learns of revocations from auth-service and Redis.
    private func otherService(of fixture: AuthFixture) async throws -> ServiceUnderTest {
        let settings = ["auth_url": "http://127.0.0.1:\(fixture.service.running.internalAddress.port)"]
        return try await ServiceUnderTest(
            "chat-service", [], settings, database: fixture.service.database, redis: fixture.service.redis
        ) { builder in
            let authenticator = try builder.access().authenticator
            builder.publicRoutes { routes in
                routes.signedIn(.get, "/v1/rooms") { call, _ in call.done() }
                routes.open(.get, "/v1/socket") { call in
                    let cookie = call.request.headers.text(.cookie) ?? ""
                    _ = try await authenticator.identity(of: Array(cookie.utf8), for: .socket, from: call.address)
                    return call.done()
                }
            }
        }
    }

    private func code(_ service: ServiceUnderTest, _ user: AuthFixture.TestUser) async throws -> String {
        try await service.call("GET", "/v1/rooms", token: user.access).errorCode
    }

    /// Logs out and returns the time from the reply until the service refuses the session.
    private func logOut(_ user: AuthFixture.TestUser, _ fixture: AuthFixture, until service: ServiceUnderTest)
        async throws
        -> Duration
    {
        #expect(try await code(service, user) == "")
        #expect(try await fixture.service.call("GET", "/v1/users/logout", token: user.access).status == 200)
        return try await timed("a revocation") { try await code(service, user) == "E05" }
    }

    /// The promised second, and an allowance for a busy machine.
    private static let promised = Duration.seconds(1) + .milliseconds(500)

    @Test("A logout reaches another service within a second, with Redis, without it and after its restart")
    func everywhere() async throws {
        try await AuthFixture.run { fixture async throws in
            let service = try await otherService(of: fixture)
            var users = [try await fixture.join()]
            for _ in 1...3 { users.append(try await fixture.logIn()) }
            #expect(try await logOut(users[0], fixture, until: service) < Self.promised)
            await fixture.service.redis.kill()
            #expect(try await logOut(users[1], fixture, until: service) < Self.promised)
            try await fixture.service.redis.start()
            #expect(try await logOut(users[2], fixture, until: service) < Self.promised)
            for user in users[...2] { #expect(try await code(service, user) == "E05") }
            #expect(try await code(service, users[3]) == "")
            await service.stop()
        }
    }

    @Test("A service that starts later refuses earlier revoked sessions from its first call")
    func lateComer() async throws {
        try await AuthFixture.run { fixture async throws in
            let (user, other) = (try await fixture.join(), try await fixture.logIn())
            _ = try await fixture.service.call("GET", "/v1/users/logout", token: user.access)
            try await fixture.service.redis.restart()
            let service = try await otherService(of: fixture)
            #expect(try await code(service, user) == "E05")
            #expect(try await code(service, other) == "")
            await service.stop()
        }
    }

    /// Whether the service accepts the socket cookie.
    private func acceptsCookie(_ service: ServiceUnderTest, _ user: AuthFixture.TestUser) async throws -> Bool {
        let cookie = try #require(user.cookie.split(separator: ";").first?.split(separator: "=").last)
        return try await service.call("GET", "/v1/socket", headers: [("Cookie", String(cookie))]).status == 200
    }

    @Test("The cookie of a session revoked long ago is refused")
    func oldCookie() async throws {
        try await AuthFixture.run { fixture async throws in
            let key = "gen-2024-01"
            let (user, other) = (try await fixture.join(key: key), try await fixture.logIn(key: key))
            _ = try await fixture.service.call("GET", "/v1/users/logout", key: key, token: user.access)
            // Longer than the lifetime of any access token; the session itself would have lasted 90 days.
            let moved = try await fixture.service.database.run(
                sql: """
                    update auth.session set revoked_at = revoked_at - \(60 * 86_400_000)
                    where revoked_at is not null returning 1
                    """)
            #expect(moved == "1\n")
            let service = try await otherService(of: fixture)
            #expect(try await acceptsCookie(service, other))
            #expect(try await !acceptsCookie(service, user))
            await service.stop()
        }
    }

    @Test("Many sessions revoked in one millisecond do not hide later revocations")
    func manyAtOnce() async throws {
        try await AuthFixture.run { fixture async throws in
            let (user, other) = (try await fixture.join(), try await fixture.logIn())
            // One more than a page of revocations holds.
            _ = try await fixture.service.database.run(
                sql: """
                    insert into auth.session (account, profile, created_at, expires_at, revoked_at)
                    select account, profile, created_at, expires_at, created_at
                    from (select * from auth.session limit 1) as one, generate_series(1, 10001)
                    """)
            #expect(try await fixture.service.call("GET", "/v1/users/logout", token: user.access).status == 200)
            let service = try await otherService(of: fixture)
            #expect(try await code(service, user) == "E05")
            #expect(try await code(service, other) == "")
            await service.stop()
        }
    }
}
