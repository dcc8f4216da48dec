import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import auth_service

@Suite("Refresh cookies of browsers")
struct RefreshCookieTests {
    /// Joins as a browser does and returns the reply.
    private func join(_ fixture: AuthFixture, key: String = "native") async throws -> HTTPCall.Reply {
        try await fixture.service.call(
            "POST", "/v1/users/join?refresh=cookie", key: key,
            json: #"{"email":"a@b.kr","password":"\#(AuthFixture.password)","nickname":"새싹"}"#)
    }

    private func refresh(
        _ fixture: AuthFixture, cookie: String, site: String = "same-origin", key: String = "native"
    ) async throws -> HTTPCall.Reply {
        try await fixture.service.call(
            "GET", "/v1/auth/refresh?refresh=cookie", key: key,
            headers: [("Cookie", cookie), ("Sec-Fetch-Site", site)])
    }

    /// The cookie with its value, as a browser sends it back.
    private func cookie(of reply: HTTPCall.Reply) throws -> String {
        let all = try #require(reply.headers["set-cookie"])
        let set = try #require(all.split(separator: ", ").last { $0.hasPrefix("maru_refresh=") })
        #expect(set.contains("; HttpOnly; SameSite=Strict"))
        #expect(set.contains("; Path=/v1/auth; "))
        return try #require(set.split(separator: ";").first.map(String.init))
    }

    @Test("A browser's refresh token is in a cookie that no script reads, not in the reply")
    func hidden() async throws {
        try await AuthFixture.run { fixture async throws in
            let joined = try await join(fixture)
            #expect(try joined.json["token"]?["refreshToken"]?.string == "")
            let first = try cookie(of: joined)
            let renewed = try await refresh(fixture, cookie: first)
            #expect(try renewed.json["refreshToken"]?.string == "")
            #expect(try cookie(of: renewed) != first)
            let access = try #require(try renewed.json["accessToken"]?.string)
            #expect(try await fixture.me(access).status == 200)
        }
    }

    @Test("A page of another site cannot use the cookie", arguments: ["cross-site", "same-site", "none"])
    func forged(site: String) async throws {
        try await AuthFixture.run { fixture async throws in
            let cookie = try cookie(of: try await join(fixture))
            #expect(try await refresh(fixture, cookie: cookie, site: site).errorCode == "E02")
        }
    }

    @Test("The cookie does nothing for a call that does not ask for it")
    func unasked() async throws {
        try await AuthFixture.run { fixture async throws in
            let cookie = try cookie(of: try await join(fixture))
            let reply = try await fixture.service.call("GET", "/v1/auth/refresh", headers: [("Cookie", cookie)])
            #expect(reply.errorCode == "E02")
        }
    }

    @Test("Logging out clears the cookie and ends its token")
    func loggedOut() async throws {
        try await AuthFixture.run { fixture async throws in
            let joined = try await join(fixture)
            let access = try #require(try joined.json["token"]?["accessToken"]?.string)
            let reply = try await fixture.service.call("GET", "/v1/users/logout?refresh=cookie", token: access)
            let cleared = try #require(reply.headers["set-cookie"])
            #expect(cleared.contains("maru_refresh=; Path=/v1/auth; Max-Age=0"))
            #expect(try await refresh(fixture, cookie: try cookie(of: joined)).errorCode == "E06")
        }
    }

    @Test("Apps of shipped generations keep their tokens in the reply")
    func shipped() async throws {
        try await AuthFixture.run { fixture async throws in
            let joined = try await join(fixture, key: "gen-2024-07")
            #expect(try joined.json["token"]?["refreshToken"]?.string?.isEmpty == false)
        }
    }
}
