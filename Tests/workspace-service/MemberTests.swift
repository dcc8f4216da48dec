import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import workspace_service

@Suite("Members", .serialized)
struct MemberTests {
    @Test(
        "An invited registered user immediately joins the workspace and its default channel; a second invitation is E12"
    )
    func invite() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            func invite(_ email: String) async throws -> HTTPCall.Reply {
                try await harness.call("POST", "/v1/workspaces/\(id)/members", json: #"{"email":"\#(email)"}"#)
            }
            let reply = try await invite("2@example.com")
            #expect(reply.status == 201)
            #expect(try reply.json["user_id"]?.string == "2")
            let mine = try await harness.call("GET", "/v1/workspaces/\(id)/my-channels", user: 2)
            #expect(try harness.texts(mine, "name") == ["일반"])
            let again = try await invite("2@example.com")
            #expect(again.errorCode == "E12")
            let own = try await invite("1@example.com")
            #expect(own.errorCode == "E12")
            let unknown = try await invite("nobody@example.com")
            #expect(unknown.errorCode == "E03")
            #expect(unknown.status == 404)
            let legacy = try await harness.call(
                "POST", "/v1/workspaces/\(id)/members", key: "sooda", json: #"{"email":"nobody@example.com"}"#)
            #expect(legacy.status == 400)
            let facts = try await FactStream(redis: harness.redis).bodies(of: "workspace.member.added", count: 2)
            #expect(facts.map { $0["user_id"]?.string } == ["1", "2"])
        }
    }

    @Test("Only owners learn whether an email is registered")
    func inviteProbe() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            try await harness.invite(2, to: id)
            for (user, code) in [(2, "E14"), (3, "E13")] as [(Int64, String)] {
                for email in ["nobody@example.com", "9@example.com"] {
                    let reply = try await harness.call(
                        "POST", "/v1/workspaces/\(id)/members", user: user, json: #"{"email":"\#(email)"}"#)
                    #expect(reply.errorCode == code)
                }
            }
        }
    }

    @Test(
        "A user, and a workspace, may send so many invitations by email in an hour, with and without an account",
        arguments: ["user_invitations", "workspace_invitations"])
    func inviteLimit(_ setting: String) async throws {
        try await WorkspaceHarness.use([setting: "3"]) { harness in
            let id = try await harness.makeWorkspace()
            let other = try await harness.makeWorkspace("other")
            func invite(_ email: String, to workspace: Int64) async throws -> HTTPCall.Reply {
                try await harness.call("POST", "/v1/workspaces/\(workspace)/members", json: #"{"email":"\#(email)"}"#)
            }
            // A stranger's attempts do not count.
            for _ in 0..<4 {
                let refused = try await harness.call(
                    "POST", "/v1/workspaces/\(id)/members", user: 9, json: #"{"email":"2@example.com"}"#)
                #expect(refused.errorCode == "E13")
            }
            for (email, status) in [("2@example.com", 201), ("nobody@example.com", 404), ("3@example.com", 201)] {
                let reply = try await invite(email, to: id)
                #expect(reply.status == status)
            }
            for email in ["nobody@example.com", "4@example.com"] {
                let refused = try await invite(email, to: id)
                #expect(refused.errorCode == "E98" && refused.status == 429)
                #expect(Int(refused.headers["retry-after"] ?? "") ?? 0 > 60)
            }
            let elsewhere = try await invite("4@example.com", to: other)
            #expect(elsewhere.status == (setting == "user_invitations" ? 429 : 201))
        }
    }

    @Test("Members are listed in the order of joining; a single member is found by id, a non-member is E13")
    func list() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            for user in [5, 3] as [Int64] { try await harness.invite(user, to: id) }
            let list = try await harness.call("GET", "/v1/workspaces/\(id)/members", user: 3)
            #expect(try harness.texts(list, "user_id") == ["1", "5", "3"])
            let one = try await harness.call("GET", "/v1/workspaces/\(id)/members/5", user: 3)
            #expect(try one.json["email"]?.string == "5@example.com")
            for other in ["9", "0", "x", "99999999999999999999"] {
                let reply = try await harness.call("GET", "/v1/workspaces/\(id)/members/\(other)", user: 3)
                #expect(reply.errorCode == "E13", "\(other)")
            }
        }
    }

    @Test("Leaving returns the remaining workspaces and ends all channel memberships")
    func leave() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            let other = try await harness.makeWorkspace("other", owner: 2)
            let channel = try await harness.makeChannel("general", in: id)
            try await harness.invite(2, to: id)
            try await harness.join(2, channel)
            let reply = try await harness.call("DELETE", "/v1/workspaces/\(id)/exit", user: 2)
            #expect(try harness.texts(reply, "workspace_id") == ["\(other)"])
            let left = try await harness.sql(
                "select count(*) from channel_member where user_id = 2 and workspace = \(id)")
            #expect(left == "0")
            let again = try await harness.call("GET", "/v1/workspaces/\(id)/exit", user: 2)
            #expect(again.errorCode == "E13")
            // After returning, the user is only in the default channel.
            try await harness.invite(2, to: id)
            let mine = try await harness.call("GET", "/v1/workspaces/\(id)/my-channels", user: 2)
            #expect(try harness.texts(mine, "name") == ["일반"])
        }
    }

    @Test("An owner of the workspace or of a channel in it must transfer ownership before leaving")
    func ownersStay() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            try await harness.invite(2, to: id)
            let channel = try await harness.makeChannel("general", in: id, owner: 2)
            for user in [1, 2] as [Int64] {
                let reply = try await harness.call("GET", "/v1/workspaces/\(id)/exit", user: user)
                #expect(reply.errorCode == "E15")
                #expect(reply.status == 409)
            }
            try await harness.join(1, channel)
            let handedOver = try await harness.call(
                "PUT", "/v1/workspaces/\(id)/channels/\(channel)/transfer/ownership", user: 2,
                json: #"{"owner_id":"1"}"#)
            #expect(handedOver.status == 200)
            let reply = try await harness.call("GET", "/v1/workspaces/\(id)/exit", user: 2)
            #expect(reply.text == "[]")
        }
    }

    @Test("A transfer gives a member the workspace and its default channel; both names of the field work")
    func handOver() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            try await harness.invite(2, to: id)
            func transfer(_ body: String, by user: Int64) async throws -> HTTPCall.Reply {
                try await harness.call("PUT", "/v1/workspaces/\(id)/transfer/ownership", user: user, json: body)
            }
            for (body, code) in [
                (#"{"owner_id":"1"}"#, "E11"), (#"{"owner_id":"3"}"#, "E13"), ("{}", "E11"),
                (#"{"owner_id":"x"}"#, "E11"),
            ] {
                let reply = try await transfer(body, by: 1)
                #expect(reply.errorCode == code, "\(body)")
            }
            let reply = try await transfer(#"{"owner_id":"2"}"#, by: 1)
            #expect(try reply.json["owner_id"]?.string == "2")
            let owners = try await harness.sql(
                "select w.owner, c.owner from workspace w join channel c on c.workspace = w.id where w.id = \(id)")
            #expect(owners == "2|2")
            let back = try await transfer(#"{"owner_ship":1}"#, by: 2)
            #expect(try back.json["owner_id"]?.string == "1")
            let old = try await harness.call(
                "PUT", "/v1/workspaces/\(id)/change/admin/2", key: "sooda", json: "{}")
            #expect(try old.json["owner_id"]?.int == 2)
        }
    }
}
