import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import auth_service

@Suite("Blocks")
struct BlockTests {
    private func call(
        _ fixture: AuthFixture, _ method: String, _ path: String, _ user: AuthFixture.TestUser
    ) async throws -> HTTPCall.Reply {
        try await fixture.service.call(method, "/v1/users/" + path, token: user.access)
    }

    private func known(_ fixture: AuthFixture, _ users: AuthFixture.TestUser...) async throws -> String {
        let ids = users.map { "\"\($0.id)\"" }.joined(separator: ",")
        return try await fixture.service.internalCall("POST", "/internal/blocks", json: #"{"ids":[\#(ids)]}"#).text
    }

    @Test("A17: a block is known to services in both directions, with a hint, until it ends")
    func directions() async throws {
        try await AuthFixture.run { fixture async throws in
            let (user, other) = (try await fixture.join(), try await fixture.join("b@b.kr"))
            fixture.peers.shareWorkspace(other.id)
            let hints = try RawConnection(port: fixture.service.redis.port)
            try hints.send("SUBSCRIBE invalidate:blocks\r\n")
            _ = try hints.receive(until: ":1\r\n")
            for _ in 1...2 { #expect(try await call(fixture, "PUT", "\(other.id)/block", user).status == 200) }
            _ = try hints.receive(until: #"{"user_id":"\#(user.id)","blocked":"\#(other.id)"}"#)
            let blocks = """
                {"blocks":[{"user_id":"\(user.id)","blocked":["\(other.id)"],"blockers":[]},\
                {"user_id":"\(other.id)","blocked":[],"blockers":["\(user.id)"]}]}
                """
            #expect(try await known(fixture, user, other) == blocks)
            // The blocked user sees nothing of it.
            #expect(try await call(fixture, "GET", "me/blocks", other).text == #"{"items":[],"next":null}"#)
            for _ in 1...2 { #expect(try await call(fixture, "DELETE", "\(other.id)/block", user).status == 200) }
            #expect(try await known(fixture, user, other) == #"{"blocks":[]}"#)
        }
    }

    @Test("A17: the hint of a block that Redis refuses at first comes later")
    func repeatedHint() async throws {
        try await AuthFixture.run { fixture async throws in
            let (user, other) = (try await fixture.join(), try await fixture.join("b@b.kr"))
            fixture.peers.shareWorkspace(other.id)
            let redis = fixture.service.redis
            let hints = try RawConnection(port: redis.port)
            try hints.send("SUBSCRIBE invalidate:blocks\r\n")
            _ = try hints.receive(until: ":1\r\n")
            try await redis.command("ACL", "SETUSER", "default", "-publish")
            #expect(try await call(fixture, "PUT", "\(other.id)/block", user).status == 200)
            // The subscription goes on, so it is not told that it may have missed something.
            try await eventually("a refused hint") { try await redis.command("ACL", "LOG").contains("publish") }
            try await redis.command("ACL", "SETUSER", "default", "+publish")
            let hint = #"{"user_id":"\#(user.id)","blocked":"\#(other.id)"}"#
            _ = try await onOwnThread { Result { try hints.receive(until: hint) } }.get()
        }
    }

    @Test("A17: ending a block again tells the caches, because the first call may have failed before it told them")
    func unblockedTwice() async throws {
        try await AuthFixture.run { fixture async throws in
            let (user, other) = (try await fixture.join(), try await fixture.join("b@b.kr"))
            fixture.peers.shareWorkspace(other.id)
            #expect(try await call(fixture, "PUT", "\(other.id)/block", user).status == 200)
            // As by a call that ended right after its commit.
            _ = try await fixture.service.database.run(sql: "delete from auth.block")
            let hints = try RawConnection(port: fixture.service.redis.port)
            try hints.send("SUBSCRIBE invalidate:blocks\r\n")
            _ = try hints.receive(until: ":1\r\n")
            #expect(try await call(fixture, "DELETE", "\(other.id)/block", user).status == 200)
            let hint = #"{"user_id":"\#(user.id)","blocked":"\#(other.id)"}"#
            _ = try await onOwnThread { Result { try hints.receive(until: hint) } }.get()
        }
    }

    @Test("A17: a block outlives the account of the blocked user, because messages of the account may stay")
    func deletedAccount() async throws {
        try await AuthFixture.run { fixture async throws in
            let (user, other) = (try await fixture.join(), try await fixture.join("b@b.kr"))
            for each in [user, other] { fixture.peers.shareWorkspace(each.id) }
            #expect(try await call(fixture, "PUT", "\(other.id)/block", user).status == 200)
            #expect(try await call(fixture, "PUT", "\(user.id)/block", other).status == 200)
            let deletion = try await fixture.service.call(
                "DELETE", "/v1/users/me", token: other.access, json: #"{"password":"\#(AuthFixture.password)"}"#)
            #expect(deletion.status == 200)
            // The block by the deleted account is gone.
            let blocks = """
                {"blocks":[{"user_id":"\(user.id)","blocked":["\(other.id)"],"blockers":[]},\
                {"user_id":"\(other.id)","blocked":[],"blockers":["\(user.id)"]}]}
                """
            #expect(try await known(fixture, user, other) == blocks)
            let list = try await call(fixture, "GET", "me/blocks", user)
            #expect(list.text.contains("탈퇴한 사용자") && !list.text.contains("b@b.kr"))
            #expect(try await call(fixture, "DELETE", "\(other.id)/block", user).status == 200)
            #expect(try await known(fixture, user, other) == #"{"blocks":[]}"#)
        }
    }

    @Test("A user cannot block themselves, nobody, a stranger, or more users than allowed")
    func refused() async throws {
        try await AuthFixture.run(["user_blocks": "1"]) { fixture async throws in
            let (user, other) = (try await fixture.join(), try await fixture.join("b@b.kr"))
            let third = try await fixture.join("c@b.kr")
            #expect(try await call(fixture, "PUT", "\(user.id)/block", user).errorCode == "E11")
            // The list of blocks would show the address of a stranger.
            #expect(try await call(fixture, "PUT", "\(other.id)/block", user).errorCode == "E13")
            #expect(try await call(fixture, "GET", "me/blocks", user).text == #"{"items":[],"next":null}"#)
            for each in [other, third] { fixture.peers.shareWorkspace(each.id) }
            for nobody in ["999999", "x"] {
                #expect(try await call(fixture, "PUT", "\(nobody)/block", user).errorCode == "E13")
            }
            #expect(try await call(fixture, "PUT", "\(other.id)/block", user).status == 200)
            #expect(try await call(fixture, "PUT", "\(third.id)/block", user).errorCode == "E11")
            #expect(try await call(fixture, "PUT", "\(other.id)/block", user).status == 200)
        }
    }

    @Test("The list has every block once, newest first, with pages of any size")
    func list() async throws {
        try await AuthFixture.run { fixture async throws in
            let user = try await fixture.join()
            var expected: [String] = []
            for name in ["b", "c", "d"] {
                let other = try await fixture.join("\(name)@b.kr")
                fixture.peers.shareWorkspace(other.id)
                #expect(try await call(fixture, "PUT", "\(other.id)/block", user).status == 200)
                expected.insert(other.id, at: 0)
            }
            var (found, cursor): ([String], String?) = ([], "")
            while let next = cursor {
                let page = try await call(fixture, "GET", "me/blocks?limit=2&cursor=\(next)", user).json
                found += page["items"]?.elements?.compactMap { $0["user"]?["user_id"]?.string } ?? []
                cursor = page["next"]?.string
            }
            #expect(found == expected)
            for query in ["limit=0", "limit=201", "cursor=x", "cursor=1"] {
                #expect(try await call(fixture, "GET", "me/blocks?\(query)", user).errorCode == "E11", "\(query)")
            }
        }
    }
}
