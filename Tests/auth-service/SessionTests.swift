import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import auth_service

@Suite("Sessions")
struct SessionTests {
    @Test("For apps that cannot store a new one the refresh token stays, for all refreshes at once as well")
    func fixed() async throws {
        try await AuthHouse.run { house async throws in
            let guest = try await house.join(key: "collatalk")
            try await withThrowingTaskGroup(of: HTTPCall.Reply.self) { group in
                for _ in 1...8 { group.addTask { try await house.refresh(guest.refresh, key: "collatalk") } }
                for try await reply in group {
                    #expect(try reply.json["refreshToken"]?.string == guest.refresh)
                    let access = try #require(try reply.json["accessToken"]?.string)
                    #expect(try await house.me(access, key: "collatalk").status == 200)
                }
            }
        }
    }

    @Test("For native apps the refresh token rotates, and refreshes at once do no harm")
    func rotating() async throws {
        try await AuthHouse.run { house async throws in
            let guest = try await house.join()
            let replies = try await withThrowingTaskGroup(of: HTTPCall.Reply.self) { group in
                for _ in 1...8 { group.addTask { try await house.refresh(guest.refresh) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let next = try replies.map { try #require(try $0.json["refreshToken"]?.string) }
            #expect(Set(next + [guest.refresh]).count == 9)
            for token in next { #expect(try await house.refresh(token).status == 200) }
        }
    }

    @Test("A refresh token used again after the grace ends the session for both who have it")
    func reuse() async throws {
        try await AuthHouse.run { house async throws in
            let guest = try await house.join()
            let renewed = try await house.refresh(guest.refresh).json
            let next = try #require(renewed["refreshToken"]?.string)
            _ = try await house.service.database.run(
                sql: "update auth.refresh_token set used_at = used_at - 61000 where used_at is not null")
            #expect(try await house.refresh(guest.refresh).errorCode == "E06")
            #expect(try await house.refresh(next).errorCode == "E06")
            let access = try #require(renewed["accessToken"]?.string)
            #expect(try await house.me(access).errorCode == "E05")
        }
    }

    @Test("A refresh token is worth nothing under another app's key")
    func otherApp() async throws {
        try await AuthHouse.run { house async throws in
            let guest = try await house.join()
            #expect(try await house.refresh(guest.refresh, key: "collatalk").errorCode == "E06")
            #expect(try await house.refresh(guest.refresh).status == 200)
        }
    }

    @Test("Garbage is E02, an unknown or expired refresh token E06, and the server keeps digests only")
    func refused() async throws {
        try await AuthHouse.run { house async throws in
            let guest = try await house.join()
            for garbage in ["x", "a.b.c", guest.access] {
                #expect(try await house.refresh(garbage).errorCode == "E02")
            }
            #expect(try await house.service.call("GET", "/v1/auth/refresh").errorCode == "E02")
            #expect(try await house.refresh(RefreshToken().text).errorCode == "E06")
            #expect(try await house.refresh(guest.refresh, key: "wrong").errorCode == "E01")
            let dump = try await house.service.database.run(sql: "select * from auth.refresh_token")
            #expect(!dump.contains(guest.refresh))
            _ = try await house.service.database.run(sql: "update auth.session set expires_at = 1")
            #expect(try await house.refresh(guest.refresh).errorCode == "E06")
        }
    }

    @Test("People see their open sessions and end any of them, but nobody else's")
    func listing() async throws {
        try await AuthHouse.run { house async throws in
            let first = try await house.join()
            let second = try await house.logIn(key: "collatalk")
            let stranger = try await house.join("s@b.kr")
            let list = try await house.service.call("GET", "/v1/users/me/sessions", token: first.access).json
            let sessions = Array(try #require(list.elements))
            #expect(sessions.map { $0["app"]?.string } == ["collatalk", "native"])
            #expect(sessions.map { $0["current"]?.bool } == [false, true])
            let target = "/v1/users/me/sessions/\(try #require(sessions[0]["session_id"]?.string))"
            #expect(try await house.service.call("DELETE", target, token: stranger.access).errorCode == "E13")
            #expect(try await house.me(second.access, key: "collatalk").status == 200)

            #expect(try await house.service.call("DELETE", target, token: first.access).status == 200)
            #expect(try await house.me(second.access, key: "collatalk").errorCode == "E05")
            #expect(try await house.refresh(second.refresh, key: "collatalk").errorCode == "E06")
            #expect(try await house.service.call("DELETE", target, token: first.access).errorCode == "E13")
            #expect(try await house.me(first.access).status == 200)
        }
    }

    @Test("People end all their sessions at once, and nobody else's")
    func everywhere() async throws {
        try await AuthHouse.run { house async throws in
            let (first, second) = (try await house.join(device: "phone"), try await house.logIn(key: "collatalk"))
            let stranger = try await house.join("s@b.kr")
            let reply = try await house.service.call("DELETE", "/v1/users/me/sessions", token: first.access)
            #expect(reply.status == 200)
            #expect(reply.headers["set-cookie"]?.contains("Max-Age=0") == true)
            #expect(try await house.me(first.access).errorCode == "E05")
            #expect(try await house.me(second.access, key: "collatalk").errorCode == "E05")
            #expect(try await house.refresh(second.refresh, key: "collatalk").errorCode == "E06")
            #expect(try await house.me(stranger.access).status == 200)
            let devices = try await house.service.internalCall(
                "POST", "/internal/devices", json: #"{"ids":["\#(first.id)"]}"#)
            #expect(devices.text == #"{"devices":[]}"#)
            let told = try await house.service.internalCall("GET", "/internal/revocations?since=0").json
            #expect(told["revocations"]?.elements?.map { $0["user_id"]?.string } == [first.id, first.id])
        }
    }

    @Test("Logout ends the session, and the other services are told")
    func logout() async throws {
        try await AuthHouse.run { house async throws in
            let guest = try await house.join()
            let other = try await house.logIn()
            #expect(try await house.service.call("GET", "/v1/users/logout", token: guest.access).status == 200)
            #expect(try await house.me(guest.access).errorCode == "E05")
            #expect(try await house.refresh(guest.refresh).errorCode == "E06")
            #expect(try await house.me(other.access).status == 200)
            let told = try await house.service.internalCall("GET", "/internal/revocations?since=0").json
            #expect(told["revocations"]?.elements?.map { $0["user_id"]?.string } == [guest.id])
        }
    }
}
