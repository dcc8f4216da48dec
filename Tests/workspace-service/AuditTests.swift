import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import workspace_service

@Suite("Audit log", .serialized)
struct AuditTests {
    private func actions(_ reply: HTTPCall.Reply) throws -> [String] {
        try reply.json["items"]?.elements.map { $0.map { $0["action"]?.string ?? "" } } ?? []
    }

    @Test("A18 An admin does not read that a report about themselves was dismissed")
    func dismissedReports() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            try await harness.invite(2, to: id)
            let path = "/v1/workspaces/\(id)"
            let made = try await harness.call("PUT", path + "/members/2/role", json: #"{"role":"admin"}"#)
            #expect(made.status == 200)
            let entry = #"""
                {"key":"chat-report-4-dismiss","at":1700000000123,"action":"report.dismissed","actor":"1","user_id":"2",
                "subject":"channel-7/12","detail":{"report":"4"}}
                """#
            #expect(try await harness.ask("POST", "/internal/workspaces/\(id)/audit", json: entry).status == 200)
            let query = path + "/audit?action=report"
            #expect(try actions(try await harness.call("GET", query, user: 2)) == [])
            #expect(try actions(try await harness.call("GET", query)) == ["report.dismissed"])
        }
    }

    @Test("The log lists each action with its actor, target and origin, newest first, by page and by filter")
    func list() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            for user in [2, 3] as [Int64] { try await harness.invite(user, to: id) }
            let path = "/v1/workspaces/\(id)"
            _ = try await harness.call("PUT", path + "/members/2/role", json: #"{"role":"admin"}"#)
            _ = try await harness.call("PUT", path + "/bans/3", user: 2, json: "{}")
            func log(_ query: String = "", by user: Int64 = 1) async throws -> HTTPCall.Reply {
                try await harness.call("GET", path + "/audit" + query, user: user)
            }
            let all = try await log(by: 2)
            #expect(try actions(all) == ["member.banned", "role.changed", "member.added", "member.added"])
            let change = try #require(try all.json["items"]?[1])
            #expect(change["actor"]?.string == "1" && change["user"]?.string == "2")
            #expect(change["detail"]?["from"]?.string == "member" && change["detail"]?["to"]?.string == "admin")
            #expect(change["address"]?.string == "127.0.0.1" && change["app"]?.string == "native")
            for (query, expected) in [
                ("?actor=2", ["member.banned"]), ("?user=2", ["role.changed", "member.added"]),
                ("?action=member", ["member.banned", "member.added", "member.added"]),
                ("?action=role.changed", ["role.changed"]), ("?action=mem", []),
                ("?until=2020-01-01T00:00:00.000Z", []),
                ("?from=2020-01-01T00:00:00.000Z&limit=1", ["member.banned"]),
            ] {
                #expect(try actions(try await log(query)) == expected, "\(query)")
            }
            let first = try await log("?limit=3")
            let next = try #require(try first.json["next"]?.string)
            let rest = try await log("?limit=3&cursor=\(next)")
            #expect(try actions(rest) == ["member.added"])
            #expect(try rest.json["next"]?.isNull == true)
            for wrong in ["?actor=x", "?from=x", "?cursor=x", "?limit=0"] {
                #expect(try await log(wrong).errorCode == "E11", "\(wrong)")
            }
        }
    }

    @Test("A decision about a request, a revoked invitation and a member that leaves are in the log, once each")
    func waysInAndOut() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            let path = "/v1/workspaces/\(id)"
            func call(_ method: String, _ rest: String, _ json: String? = nil, by user: Int64 = 1) async throws {
                let reply = try await harness.call(method, path + rest, user: user, json: json)
                #expect(reply.status == 200, "\(method) \(rest): \(reply.text)")
            }
            try await call("PUT", "/settings", #"{"joinRequests":true}"#)
            for (user, action) in [(5, "approve"), (6, "decline")] as [(Int64, String)] {
                try await call("POST", "/join-requests", #"{"text":"hello"}"#, by: user)
                try await call("PUT", "/join-requests/\(user)", #"{"action":"\#(action)"}"#)
            }
            try await call("DELETE", "/exit", by: 5)
            let made = try await harness.call("POST", path + "/invitations", json: "{}")
            let invitation = try #require(try made.json["invitation_id"]?.string)
            for _ in 1...2 { try await call("DELETE", "/invitations/\(invitation)") }
            let log = try await harness.call("GET", path + "/audit")
            let entries = try log.json["items"]?.elements.map { items in
                items.map { entry in
                    ["action", "actor", "user"].map { entry[$0]?.string ?? "-" }.joined(separator: " ")
                }
            }
            for expected in ["join.approved 1 5", "join.declined 1 6", "member.left 5 5", "invitation.revoked 1 -"] {
                #expect(entries?.filter { $0 == expected }.count == 1, "\(expected) in \(log.text)")
            }
        }
    }

    @Test("Another service adds an event once for each key")
    func otherServices() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            func record(
                _ key: String, of workspace: Int64, _ action: String = "moderation.warned"
            ) async throws -> Int {
                try await harness.ask(
                    "POST", "/internal/workspaces/\(workspace)/audit",
                    json: #"""
                        {"key":"\#(key)","at":1700000000123,"action":"\#(action)","actor":"1","user_id":"2",
                        "subject":"channel-7/12","detail":{"report":"4"},"address":"10.0.0.1","app":"native"}
                        """#
                ).status
            }
            for key in ["chat-1", "chat-1", "chat-2"] { #expect(try await record(key, of: id) == 200) }
            #expect(try await record("chat-3", of: 999) == 200)
            #expect(try await record("chat-4", of: id, "made.up") == 422)
            #expect(try await record("", of: id) == 422)
            let log = try await harness.call("GET", "/v1/workspaces/\(id)/audit")
            #expect(try actions(log) == ["moderation.warned", "moderation.warned"])
            let entry = try #require(try log.json["items"]?[0])
            #expect(entry["subject"]?.string == "channel-7/12" && entry["detail"]?["report"]?.string == "4")
            #expect(entry["at"]?.string == "2023-11-14T22:13:20.123Z")
        }
    }

    @Test(
        "A sign-in and an export are in the log of each workspace of the user, once for each fact",
        arguments: ["session.opened", "export.requested"])
    func signIns(type: String) async throws {
        try await WorkspaceHarness.use { harness in
            let own = try await harness.makeWorkspace("own", owner: 2)
            let other = try await harness.makeWorkspace("other")
            try await harness.invite(2, to: other)
            let apart = try await harness.makeWorkspace("apart")
            let at = Timestamp.now.milliseconds
            let body = #"{"user_id":"2","at":\#(at),"address":"10.0.0.1","app":"native"}"#
            for _ in 0..<2 {
                try await harness.redis.command(
                    "XADD", "facts:auth", "*", "id", "1", "type", type, "body", body)
            }
            try await eventually("the entries") {
                try await harness.sql("select count(*) from audit.entry where action = '\(type)'") == "2"
            }
            let log = try await harness.call("GET", "/v1/workspaces/\(other)/audit?action=\(type)")
            let entry = try #require(try log.json["items"]?[0])
            #expect(entry["actor"]?.string == "2" && entry["address"]?.string == "10.0.0.1")
            for (workspace, owner) in [(own, Int64(2)), (apart, 1)] {
                let log = try await harness.call(
                    "GET", "/v1/workspaces/\(workspace)/audit?action=\(type)", user: owner)
                #expect(try actions(log).count == (workspace == own ? 1 : 0))
            }
        }
    }

    @Test(
        "R6: a late fact adds nothing to the logs of workspaces that the user has joined since",
        arguments: ["session.opened", "export.requested"])
    func lateSignIns(type: String) async throws {
        try await WorkspaceHarness.use { harness in
            let own = try await harness.makeWorkspace("own", owner: 2)
            let entered = try await harness.makeWorkspace("entered")
            let later = try await harness.makeWorkspace("later")
            for workspace in [entered, later] { try await harness.invite(2, to: workspace) }
            _ = try await harness.sql("update member set joined_at = 1600000000000 where workspace = \(own)")
            // By a clock that is ahead of the other one, as if the sign-in had entered the workspace.
            _ = try await harness.sql("update member set joined_at = 1700000004000 where workspace = \(entered)")
            let body = #"{"user_id":"2","at":1700000000123,"address":"10.0.0.1","app":"native"}"#
            try await harness.redis.command("XADD", "facts:auth", "*", "id", "1", "type", type, "body", body)
            // One statement writes all entries of a fact.
            let logs = "select string_agg(workspace::text, ',') from audit.entry where action = '\(type)'"
            try await eventually("the entry") { try await !harness.sql(logs).isEmpty }
            let told = try await harness.sql(logs).split(separator: ",").map(String.init)
            #expect(Set(told) == ["\(own)", "\(entered)"])
        }
    }

    @Test("D5: no statement changes, deletes or empties the audit log, and the floor of the expiry holds")
    func unchangeable() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            try await harness.invite(2, to: id)
            // Even a superuser is refused by the triggers. The test of the deployment tries the roles of the services.
            for statement in [
                "update audit.entry set actor = 9", "delete from audit.entry", "truncate audit.entry",
                "set session_replication_role = replica; delete from audit.entry",
            ] {
                await #expect(throws: (any Error).self, "\(statement)") { try await harness.sql(statement) }
            }
            #expect(try await harness.sql("select audit.expire(9223372036854775807)") == "0")
            _ = try await harness.sql(
                """
                insert into audit.entry (workspace, at, action)
                values (\(id), (extract(epoch from now()) * 1000)::bigint - 29 * 86400000::bigint, 'recent'),
                    (\(id), (extract(epoch from now()) * 1000)::bigint - 31 * 86400000::bigint, 'old')
                """)
            #expect(try await harness.sql("select audit.expire(9223372036854775807)") == "1")
            let left = try await harness.sql("select string_agg(action, ',' order by id) from audit.entry")
            #expect(left == "member.added,recent")
            _ = try await harness.sql("select audit.forget(1)")
            #expect(
                try await harness.sql("select actor, user_id, address is null from audit.entry where actor = 1")
                    == "1|2|t")
        }
    }
}
