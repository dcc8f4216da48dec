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

    @Test("A request that is taken back while it is approved waits for the decision")
    func takenBackMeanwhile() async throws {
        try await WorkspaceHarness.use(["database_connections": "6"]) { harness in
            let id = try await Self.ask([5], harness)
            // The approval has found the request and waits for the table of members. The withdrawal waits for the
            // approval, so the request is still there. Without a request the division fails.
            let statuses = try await harness.database.holding(
                "lock table workspace.member in share mode", untilWaiting: 2,
                then: "select 1 / count(*) from workspace.join_request"
            ) { () async throws -> [Int] in
                async let approved = Self.approve(5, id, harness)
                try await eventually("the waiting approval") {
                    try await harness.sql(
                        """
                        select count(*) from pg_stat_activity
                        where wait_event_type = 'Lock' and query ~ 'into member' and datname = current_database()
                        """) == "1"
                }
                let withdrawn = try await harness.call("DELETE", "/v1/workspaces/\(id)/join-requests", user: 5)
                return [try await approved.status, withdrawn.status]
            }
            #expect(statuses == [200, 200])
            #expect(try await harness.sql("select count(*) from member where user_id = 5") == "1")
            #expect(try await harness.sql("select count(*) from join_request") == "0")
        }
    }

    @Test("A refusal is deleted after its week, when the user may ask again")
    func declined() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await Self.ask([5, 6, 7], harness)
            for user in [5, 6] as [Int64] {
                let declined = try await harness.call(
                    "PUT", "/v1/workspaces/\(id)/join-requests/\(user)", json: #"{"action":"decline"}"#)
                #expect(declined.status == 200, "\(declined.text)")
            }
            // The refusal of user 5 is a week old, that of user 6 an hour younger. Nobody has decided about user 7.
            _ = try await harness.sql(
                """
                update join_request set declined_at = declined_at - 604800000 + (user_id - 5) * 3600000
                where declined_at is not null
                """)
            // An instance deletes old refusals at its start.
            try await harness.start()
            try await eventually("the end of the refusal") {
                try await harness.sql("select string_agg(user_id::text, ',' order by user_id) from join_request")
                    == "6,7"
            }
            let path = "/v1/workspaces/\(id)/join-requests"
            #expect(try await harness.call("POST", path, user: 6, json: "{}").errorCode == "E98")
            #expect(try await harness.call("POST", path, user: 5, json: "{}").status == 200)
        }
    }
}
