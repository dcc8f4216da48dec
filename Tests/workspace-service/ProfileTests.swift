import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import workspace_service

@Suite("Profiles in replies", .serialized)
struct ProfileTests {
    /// Publishes the hint that a profile has changed, like auth-service.
    private func hint(_ user: Int64, version: Int, _ harness: WorkspaceHarness) async throws {
        let redis = harness.redis
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

    private func nicknames(_ harness: WorkspaceHarness, _ id: Int64) async throws -> [String] {
        try harness.texts(try await harness.call("GET", "/v1/workspaces/\(id)/members"), "nickname")
    }

    @Test("A hint refreshes a changed nickname; while auth-service is down the cached one is shown")
    func lastKnown() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            try await harness.invite(2, to: id)
            #expect(try await nicknames(harness, id) == ["n1", "n2"])
            let calls = harness.peers.now.profileCalls
            #expect(try await nicknames(harness, id) == ["n1", "n2"])
            #expect(harness.peers.now.profileCalls == calls, "a cached profile was fetched again")

            harness.peers.change {
                $0.nicknames[2] = "new"
                $0.versions[2] = 2
                $0.isAuthDown = true
            }
            try await hint(2, version: 2, harness)
            try await eventually("a fetch") {
                let shown = try await self.nicknames(harness, id)
                #expect(shown == ["n1", "n2"])
                return harness.peers.now.profileCalls > calls
            }
            harness.peers.change { $0.isAuthDown = false }
            try await eventually("the new nickname") { try await self.nicknames(harness, id) == ["n1", "new"] }
        }
    }

    @Test("An unknown profile while auth-service is down fails the reply instead of omitting the member")
    func coldMiss() async throws {
        try await WorkspaceHarness.use { harness in
            let fixture = try await Fixture.make(1, in: harness)[0]
            let base = "/v1/workspaces/\(fixture.workspace)"
            let warm = try await harness.call("GET", base + "/members/1")
            #expect(warm.status == 200)
            harness.peers.change { $0.isAuthDown = true }
            let people = ["", "/members", "/search?keyword=a", "/channels/\(fixture.channel)", "/members/2"]
            for path in people + ["/channels/\(fixture.channel)/members"] {
                let reply = try await harness.call("GET", base + path, key: "collatalk")
                #expect(reply.errorCode == "E99" && reply.status == 500, "\(path): \(reply.text)")
            }
            let known = try await harness.call("GET", base + "/members/1")
            #expect(known.status == 200)
            // Replies without profiles still work.
            for path in ["/channels", "/my-channels"] {
                let reply = try await harness.call("GET", base + path)
                #expect(reply.status == 200, "\(path)")
            }
            let invited = try await harness.call("POST", base + "/members", json: #"{"email":"8@example.com"}"#)
            #expect(invited.errorCode == "E99", "not E03: nobody knows")
        }
    }

    @Test("A deleted account is omitted from lists, and E13 as a single member")
    func gone() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            for user in [2, 3] as [Int64] { try await harness.invite(user, to: id) }
            harness.peers.change { $0.missing = [2] }
            try await hint(2, version: 2, harness)
            try await eventually("the omission") { try await self.nicknames(harness, id) == ["n1", "n3"] }
            let one = try await harness.call("GET", "/v1/workspaces/\(id)/members/2")
            #expect(one.errorCode == "E13")
        }
    }
}
