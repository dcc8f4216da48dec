import EventLoop
import HTTP
import ServiceKit
import ServiceSupport
import TestSupport
import Testing

@testable import auth_service

@Suite("Revocations in other services")
struct RevocationTests {
    /// Another service, which knows of sessions what auth-service and Redis tell it.
    private func neighbour(of house: AuthHouse) async throws -> ServiceUnderTest {
        let settings = ["auth_url": "http://127.0.0.1:\(house.service.running.internalAddress.port)"]
        return try await ServiceUnderTest(
            "chat-service", [], settings, database: house.service.database, redis: house.service.redis
        ) { builder in
            let authenticator = try builder.access().authenticator
            builder.publicRoutes { routes in
                routes.signedIn(.get, "/v1/rooms") { call, _ in call.done() }
                routes.open(.get, "/v1/door") { call in
                    let cookie = call.request.headers.text(.cookie) ?? ""
                    _ = try await authenticator.identity(of: Array(cookie.utf8), for: .socket)
                    return call.done()
                }
            }
        }
    }

    private func code(_ service: ServiceUnderTest, _ guest: AuthHouse.Guest) async throws -> String {
        try await service.call("GET", "/v1/rooms", token: guest.access).errorCode
    }

    /// How long it takes from the reply to the logout until the service refuses the session.
    private func logOut(_ guest: AuthHouse.Guest, _ house: AuthHouse, until service: ServiceUnderTest) async throws
        -> Duration
    {
        #expect(try await code(service, guest) == "")
        #expect(try await house.service.call("GET", "/v1/users/logout", token: guest.access).status == 200)
        return try await timed("a revocation") { try await code(service, guest) == "E05" }
    }

    /// The promise, and what a busy machine may add to it.
    private static let promised = Duration.seconds(1) + .milliseconds(500)

    @Test("A logout reaches another service within a second, with Redis, without it and after its restart")
    func everywhere() async throws {
        try await AuthHouse.run { house async throws in
            let service = try await neighbour(of: house)
            var guests = [try await house.join()]
            for _ in 1...3 { guests.append(try await house.logIn()) }
            #expect(try await logOut(guests[0], house, until: service) < Self.promised)
            await house.service.redis.kill()
            #expect(try await logOut(guests[1], house, until: service) < Self.promised)
            try await house.service.redis.start()
            #expect(try await logOut(guests[2], house, until: service) < Self.promised)
            for guest in guests[...2] { #expect(try await code(service, guest) == "E05") }
            #expect(try await code(service, guests[3]) == "")
            await service.stop()
        }
    }

    @Test("A service that starts later knows from its first call what was revoked before")
    func lateComer() async throws {
        try await AuthHouse.run { house async throws in
            let (guest, other) = (try await house.join(), try await house.logIn())
            _ = try await house.service.call("GET", "/v1/users/logout", token: guest.access)
            try await house.service.redis.restart()
            let service = try await neighbour(of: house)
            #expect(try await code(service, guest) == "E05")
            #expect(try await code(service, other) == "")
            await service.stop()
        }
    }

    /// Whether the door to sockets opens for the cookie.
    private func opens(_ service: ServiceUnderTest, _ guest: AuthHouse.Guest) async throws -> Bool {
        let cookie = try #require(guest.cookie.split(separator: ";").first?.split(separator: "=").last)
        return try await service.call("GET", "/v1/door", headers: [("Cookie", String(cookie))]).status == 200
    }

    @Test("A cookie, which lives as long as its session, opens nothing after that was revoked, however long ago")
    func oldCookie() async throws {
        try await AuthHouse.run { house async throws in
            let key = "gen-2024-01"
            let (guest, other) = (try await house.join(key: key), try await house.logIn(key: key))
            _ = try await house.service.call("GET", "/v1/users/logout", key: key, token: guest.access)
            // Longer than any access token lives; the session would have lasted for 90 days.
            let moved = try await house.service.database.run(
                sql: """
                    update auth.session set revoked_at = revoked_at - \(60 * 86_400_000)
                    where revoked_at is not null returning 1
                    """)
            #expect(moved == "1\n")
            let service = try await neighbour(of: house)
            #expect(try await opens(service, other))
            #expect(try await !opens(service, guest))
            await service.stop()
        }
    }

    @Test("Sessions revoked in one moment do not hide what was revoked after them, however many they are")
    func manyAtOnce() async throws {
        try await AuthHouse.run { house async throws in
            let (guest, other) = (try await house.join(), try await house.logIn())
            // As many as one answer holds, and more.
            _ = try await house.service.database.run(
                sql: """
                    insert into auth.session (account, profile, created_at, expires_at, revoked_at)
                    select account, profile, created_at, expires_at, created_at
                    from (select * from auth.session limit 1) as one, generate_series(1, 10001)
                    """)
            #expect(try await house.service.call("GET", "/v1/users/logout", token: guest.access).status == 200)
            let service = try await neighbour(of: house)
            #expect(try await code(service, guest) == "E05")
            #expect(try await code(service, other) == "")
            await service.stop()
        }
    }
}
