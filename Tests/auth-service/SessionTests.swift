import Crypto
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import auth_service

@Suite("Sessions")
struct SessionTests {
    @Test("The refresh token of a profile with fixed tokens stays, in concurrent refreshes too")
    func fixed() async throws {
        try await AuthFixture.run { fixture async throws in
            let user = try await fixture.join(key: "collatalk")
            try await withThrowingTaskGroup(of: HTTPCall.Reply.self) { group in
                for _ in 1...8 { group.addTask { try await fixture.refresh(user.refresh, key: "collatalk") } }
                for try await reply in group {
                    #expect(try reply.json["refreshToken"]?.string == user.refresh)
                    let access = try #require(try reply.json["accessToken"]?.string)
                    #expect(try await fixture.me(access, key: "collatalk").status == 200)
                }
            }
        }
    }

    @Test("The refresh token of native apps rotates, and concurrent refreshes succeed")
    func rotating() async throws {
        try await AuthFixture.run { fixture async throws in
            let user = try await fixture.join()
            let replies = try await withThrowingTaskGroup(of: HTTPCall.Reply.self) { group in
                for _ in 1...8 { group.addTask { try await fixture.refresh(user.refresh) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let next = try replies.map { try #require(try $0.json["refreshToken"]?.string) }
            #expect(Set(next + [user.refresh]).count == 9)
            #expect(try await fixture.refresh(next[0]).status == 200)
        }
    }

    @Test(
        "Of two successors of one refresh token only the first one used is valid; using the other one ends the session")
    func fork() async throws {
        try await AuthFixture.run { fixture async throws in
            let user = try await fixture.join()
            let first = try #require(try await fixture.refresh(user.refresh).json["refreshToken"]?.string)
            let second = try #require(try await fixture.refresh(user.refresh).json["refreshToken"]?.string)
            let renewed = try await fixture.refresh(second).json
            #expect(try await fixture.refresh(first).errorCode == "E06")
            let last = try #require(renewed["refreshToken"]?.string)
            #expect(try await fixture.refresh(last).errorCode == "E06")
            let access = try #require(renewed["accessToken"]?.string)
            #expect(try await fixture.me(access).errorCode == "E05")
        }
    }

    @Test("The grace of a used refresh token is counted from its first use, however often it is used")
    func graceFromFirstUse() async throws {
        try await AuthFixture.run { fixture async throws in
            let user = try await fixture.join()
            // The second use is within the minute also on a machine that stands still before it, and the third one never is.
            for milliseconds in [15_000, 46_000] {
                #expect(try await fixture.refresh(user.refresh).status == 200)
                _ = try await fixture.service.database.run(
                    sql: "update auth.refresh_token set used_at = used_at - \(milliseconds) where used_at is not null")
            }
            #expect(try await fixture.refresh(user.refresh).errorCode == "E06")
        }
    }

    @Test("Users of one address refresh for each call of a home screen; endless refreshes of one session get E98")
    func rapid() async throws {
        try await AuthFixture.run { fixture async throws in
            let key = "gathering"
            let users = [try await fixture.join(key: key), try await fixture.join("o@b.kr", key: key)]
            let other = try await fixture.logIn(key: key)
            // Two calls for each of a hundred rooms, on the six connections of an app.
            let codes = try await withThrowingTaskGroup(of: Set<String>.self) { group in
                for user in users {
                    for _ in 1...6 {
                        group.addTask {
                            var seen: Set<String> = []
                            for _ in 1...34 {
                                let reply = try await fixture.refresh(user.refresh, key: key)
                                seen.insert(reply.errorCode)
                            }
                            return seen
                        }
                    }
                }
                return try await group.reduce(into: Set<String>()) { $0.formUnion($1) }
            }
            #expect(codes == [""])
            var code = ""
            for _ in 1...1000 where code != "E98" {
                code = try await fixture.refresh(users[0].refresh, key: key).errorCode
            }
            #expect(code == "E98")
            #expect(try await fixture.refresh(other.refresh, key: key).status == 200)
        }
    }

    @Test("Replies with tokens must not be stored by caches")
    func notStored() async throws {
        try await AuthFixture.run { fixture async throws in
            let joined = try await fixture.service.call(
                "POST", "/v1/users/join",
                json: #"{"email":"a@b.kr","password":"\#(AuthFixture.password)","nickname":"n"}"#)
            let refreshToken = try fixture.user(joined).refresh
            let replies = [
                joined, try await fixture.logInReply(), try await fixture.kakao("kakao-7"),
                try await fixture.refresh(refreshToken),
            ]
            for reply in replies { #expect(reply.headers["cache-control"] == "no-store") }
        }
    }

    @Test("A refresh token used again after the grace ends the session for both holders")
    func reuse() async throws {
        try await AuthFixture.run { fixture async throws in
            let user = try await fixture.join()
            let renewed = try await fixture.refresh(user.refresh).json
            let next = try #require(renewed["refreshToken"]?.string)
            _ = try await fixture.service.database.run(
                sql: "update auth.refresh_token set used_at = used_at - 61000 where used_at is not null")
            #expect(try await fixture.refresh(user.refresh).errorCode == "E06")
            #expect(try await fixture.refresh(next).errorCode == "E06")
            let access = try #require(renewed["accessToken"]?.string)
            #expect(try await fixture.me(access).errorCode == "E05")
        }
    }

    @Test("A refresh token is refused under another app's key")
    func otherApp() async throws {
        try await AuthFixture.run { fixture async throws in
            let user = try await fixture.join()
            #expect(try await fixture.refresh(user.refresh, key: "collatalk").errorCode == "E06")
            #expect(try await fixture.refresh(user.refresh).status == 200)
        }
    }

    @Test("Garbage is E02, an unknown or expired refresh token is E06, and the server stores only digests")
    func refused() async throws {
        try await AuthFixture.run { fixture async throws in
            let user = try await fixture.join()
            for garbage in ["x", "a.b.c", user.access] {
                #expect(try await fixture.refresh(garbage).errorCode == "E02")
            }
            #expect(try await fixture.service.call("GET", "/v1/auth/refresh").errorCode == "E02")
            #expect(try await fixture.refresh(BearerSecret().text).errorCode == "E06")
            #expect(try await fixture.refresh(user.refresh, key: "wrong").errorCode == "E01")
            let dump = try await fixture.service.database.run(sql: "select * from auth.refresh_token")
            #expect(!dump.contains(user.refresh))
            _ = try await fixture.service.database.run(sql: "update auth.session set expires_at = 1")
            #expect(try await fixture.refresh(user.refresh).errorCode == "E06")
        }
    }

    @Test("Users list their open sessions and can end any of them, but no other user's")
    func listing() async throws {
        try await AuthFixture.run { fixture async throws in
            let first = try await fixture.join()
            let second = try await fixture.logIn(key: "collatalk")
            let stranger = try await fixture.join("s@b.kr")
            let list = try await fixture.service.call("GET", "/v1/users/me/sessions", token: first.access).json
            let sessions = Array(try #require(list.elements))
            #expect(sessions.map { $0["app"]?.string } == ["collatalk", "native"])
            #expect(sessions.map { $0["current"]?.bool } == [false, true])
            let target = "/v1/users/me/sessions/\(try #require(sessions[0]["session_id"]?.string))"
            #expect(try await fixture.service.call("DELETE", target, token: stranger.access).errorCode == "E13")
            #expect(try await fixture.me(second.access, key: "collatalk").status == 200)

            #expect(try await fixture.service.call("DELETE", target, token: first.access).status == 200)
            #expect(try await fixture.me(second.access, key: "collatalk").errorCode == "E05")
            #expect(try await fixture.refresh(second.refresh, key: "collatalk").errorCode == "E06")
            #expect(try await fixture.service.call("DELETE", target, token: first.access).errorCode == "E13")
            #expect(try await fixture.me(first.access).status == 200)
        }
    }

    @Test("Users can end all their sessions at once, and no other user's")
    func everywhere() async throws {
        try await AuthFixture.run { fixture async throws in
            let (first, second) = (try await fixture.join(device: "phone"), try await fixture.logIn(key: "collatalk"))
            let stranger = try await fixture.join("s@b.kr")
            let reply = try await fixture.service.call("DELETE", "/v1/users/me/sessions", token: first.access)
            #expect(reply.status == 200)
            #expect(reply.headers["set-cookie"]?.contains("Max-Age=0") == true)
            #expect(try await fixture.me(first.access).errorCode == "E05")
            #expect(try await fixture.me(second.access, key: "collatalk").errorCode == "E05")
            #expect(try await fixture.refresh(second.refresh, key: "collatalk").errorCode == "E06")
            #expect(try await fixture.me(stranger.access).status == 200)
            let devices = try await fixture.service.internalCall(
                "POST", "/internal/devices", json: #"{"ids":["\#(first.id)"]}"#)
            #expect(devices.text == #"{"devices":[]}"#)
            let published = try await fixture.service.internalCall("GET", "/internal/revocations?since=0").json
            #expect(published["revocations"]?.elements?.map { $0["user_id"]?.string } == [first.id, first.id])
        }
    }

    @Test("Logout ends the session and publishes its revocation")
    func logout() async throws {
        try await AuthFixture.run { fixture async throws in
            let user = try await fixture.join()
            let other = try await fixture.logIn()
            #expect(try await fixture.service.call("GET", "/v1/users/logout", token: user.access).status == 200)
            #expect(try await fixture.me(user.access).errorCode == "E05")
            #expect(try await fixture.refresh(user.refresh).errorCode == "E06")
            #expect(try await fixture.me(other.access).status == 200)
            let published = try await fixture.service.internalCall("GET", "/internal/revocations?since=0").json
            #expect(published["revocations"]?.elements?.map { $0["user_id"]?.string } == [user.id])
        }
    }

    @Test("A push token that arrives while its session ends does not deadlock with the end")
    func deviceMeanwhile() async throws {
        try await AuthFixture.run { fixture async throws in
            let user = try await fixture.join(device: "phone")
            // Ends the session as a revocation does, and waits before the devices until the call waits for the session.
            let reply = try await fixture.service.database.holding(
                "update auth.session set revoked_at = 1 where account = \(user.id)",
                then: "delete from auth.device where account = \(user.id)"
            ) {
                try await fixture.service.call(
                    "POST", "/v1/users/deviceToken", token: user.access, json: #"{"deviceToken":"tablet"}"#)
            }
            #expect(reply.status == 200)
            let devices = try await fixture.service.internalCall(
                "POST", "/internal/devices", json: #"{"ids":["\#(user.id)"]}"#)
            #expect(devices.text == #"{"devices":[]}"#)
        }
    }
}
