import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import workspace_service

@Suite("People in replies", .serialized)
struct ProfileTests {
    /// Tells that a profile has changed, as auth-service hints.
    private func hint(_ user: Int64, version: Int, _ house: WorkspaceHouse) async throws {
        let redis = house.redis
        try await onOwnThread {
            Result {
                let connection = try RawConnection(port: redis.port)
                let body = #"{"user_id":"\#(user)","version":\#(version)}"#
                try connection.send(
                    "*3\r\n$7\r\nPUBLISH\r\n$16\r\ninvalidate:users\r\n$\(body.utf8.count)\r\n\(body)\r\n")
                _ = try connection.receive(until: "\r\n")
            }
        }.get()
    }

    private func nicknames(_ house: WorkspaceHouse, _ id: Int64) async throws -> [String] {
        try house.texts(try await house.call("GET", "/v1/workspaces/\(id)/members"), "nickname")
    }

    @Test("A new nickname is shown as soon as its change is told; while auth-service is down the last known is")
    func lastKnown() async throws {
        try await WorkspaceHouse.use { house in
            let id = try await house.makeWorkspace()
            try await house.invite(2, to: id)
            #expect(try await nicknames(house, id) == ["n1", "n2"])
            let calls = house.peers.now.profileCalls
            #expect(try await nicknames(house, id) == ["n1", "n2"])
            #expect(house.peers.now.profileCalls == calls, "what is known is not asked for")

            house.peers.change {
                $0.nicknames[2] = "new"
                $0.versions[2] = 2
                $0.isAuthDown = true
            }
            try await hint(2, version: 2, house)
            try await eventually("asking") {
                let shown = try await self.nicknames(house, id)
                #expect(shown == ["n1", "n2"])
                return house.peers.now.profileCalls > calls
            }
            house.peers.change { $0.isAuthDown = false }
            try await eventually("the new nickname") { try await self.nicknames(house, id) == ["n1", "new"] }
        }
    }

    @Test("Who is not known while auth-service is down is a failure of the whole reply, never a wrong or missing name")
    func coldMiss() async throws {
        try await WorkspaceHouse.use { house in
            let fixture = try await Fixture.make(1, in: house)[0]
            let base = "/v1/workspaces/\(fixture.workspace)"
            let warm = try await house.call("GET", base + "/members/1")
            #expect(warm.status == 200)
            house.peers.change { $0.isAuthDown = true }
            let people = ["", "/members", "/search?keyword=a", "/channels/\(fixture.channel)", "/members/2"]
            for path in people + ["/channels/\(fixture.channel)/members"] {
                let reply = try await house.call("GET", base + path, key: "collatalk")
                #expect(reply.errorCode == "E99" && reply.status == 500, "\(path): \(reply.text)")
            }
            let known = try await house.call("GET", base + "/members/1")
            #expect(known.status == 200)
            // What shows nobody needs nobody.
            for path in ["/channels", "/my-channels"] {
                let reply = try await house.call("GET", base + path)
                #expect(reply.status == 200, "\(path)")
            }
            let invited = try await house.call("POST", base + "/members", json: #"{"email":"8@example.com"}"#)
            #expect(invited.errorCode == "E99", "not E03: nobody knows")
        }
    }

    @Test("Who has no account any more is left out of lists, and is no such data alone")
    func gone() async throws {
        try await WorkspaceHouse.use { house in
            let id = try await house.makeWorkspace()
            for user in [2, 3] as [Int64] { try await house.invite(user, to: id) }
            house.peers.change { $0.missing = [2] }
            try await hint(2, version: 2, house)
            try await eventually("leaving out") { try await self.nicknames(house, id) == ["n1", "n3"] }
            let one = try await house.call("GET", "/v1/workspaces/\(id)/members/2")
            #expect(one.errorCode == "E13")
        }
    }
}
