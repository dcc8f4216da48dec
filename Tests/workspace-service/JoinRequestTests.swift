import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import workspace_service

@Suite("Requests to join", .serialized)
struct JoinRequestTests {
    /// A workspace of user 1 that the given users ask to be let in to.
    private static func ask(_ users: [Int64], _ harness: WorkspaceHarness) async throws -> Int64 {
        let id = try await harness.makeWorkspace()
        _ = try await harness.call("PUT", "/v1/workspaces/\(id)/settings", json: #"{"joinRequests":true}"#)
        for user in users {
            let reply = try await harness.call(
                "POST", "/v1/workspaces/\(id)/join-requests", user: user, json: #"{"text":"hello"}"#)
            #expect(reply.status == 200, "\(reply.text)")
        }
        return id
    }

    private static func approve(
        _ user: Int64, _ id: Int64, _ harness: WorkspaceHarness
    ) async throws -> HTTPCall.Reply {
        try await harness.call(
            "PUT", "/v1/workspaces/\(id)/join-requests/\(user)", json: #"{"action":"approve"}"#)
    }

    private static func openCount(_ id: Int64, _ harness: WorkspaceHarness) async throws -> Int? {
        let list = try await harness.call("GET", "/v1/workspaces/\(id)/join-requests")
        return try list.json["items"]?.elements.map { Array($0).count }
    }

    @Test("A request ends when its user comes in another way, so that its approval brings no former member back")
    func admitted() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await Self.ask([5, 6], harness)
            let invitation = try await harness.call("POST", "/v1/workspaces/\(id)/invitations", json: "{}")
            let token = try #require(try invitation.json["token"]?.string)
            let accepted = try await harness.call(
                "POST", "/v1/workspaces/invitations/accept", user: 5, json: #"{"token":"\#(token)"}"#)
            #expect(accepted.status == 200, "\(accepted.text)")
            try await harness.invite(6, to: id)
            #expect(try await Self.openCount(id, harness) == 0)
            for user in [5, 6] as [Int64] {
                let left = try await harness.call("DELETE", "/v1/workspaces/\(id)/exit", user: user)
                #expect(left.status == 200, "\(left.text)")
                let approved = try await Self.approve(user, id, harness)
                #expect(approved.status == 404 && approved.errorCode == "E13", "\(approved.text)")
            }
            #expect(try await harness.sql("select string_agg(user_id::text, ',') from member") == "1")
        }
    }

    @Test("A ban ends the request of its user, which is not there again once the ban is lifted")
    func banned() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await Self.ask([5, 6], harness)
            let path = "/v1/workspaces/\(id)/bans/5"
            #expect(try await harness.call("PUT", path, json: "{}").status == 200)
            #expect(try await harness.sql("select string_agg(user_id::text, ',') from join_request") == "6")
            #expect(try await harness.call("DELETE", path).status == 200)
            #expect(try await Self.approve(5, id, harness).errorCode == "E13")
            #expect(try await Self.approve(6, id, harness).status == 200)
            #expect(try await harness.sql("select count(*) from join_request") == "0")
        }
    }
}
