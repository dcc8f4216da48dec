import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import workspace_service

@Suite("Workspaces and operators")
struct OperatorTests {
    private func operate(
        _ harness: WorkspaceHarness, _ method: String, _ path: String, as name: String = "anna"
    ) async throws -> HTTPCall.Reply {
        try await harness.instances[0].operatorCall(method, "/operator" + path, as: name)
    }

    private func audited(_ harness: WorkspaceHarness, _ action: String) async throws -> String {
        try await harness.sql(
            "select coalesce(actor::text, '-'), user_id, detail->>'by' from audit.entry where action = '\(action)'")
    }

    @Test("An operator finds workspaces by id, name and owner, and sees the workspaces of a user")
    func finding() async throws {
        try await WorkspaceHarness.use { harness async throws in
            let id = try await harness.makeWorkspace("Garden")
            try await harness.invite(2, to: id)
            func found(_ text: String) async throws -> [String] {
                try await operate(harness, "GET", "/workspaces?text=\(text)").json["workspaces"]?.elements?
                    .compactMap { $0.string("workspace_id") } ?? []
            }
            #expect(try await found("gard") == ["\(id)"])
            #expect(try await found("\(id)").first == "\(id)")
            #expect(try await found("nothing") == [])
            let shown = try await operate(harness, "GET", "/workspaces/\(id)").json
            #expect(shown.string("owner_id") == "1" && shown.int("members") == 2 && shown.int("channels") == 1)
            #expect(try await operate(harness, "GET", "/workspaces/999").status == 404)
            let places = try await operate(harness, "GET", "/users/2/workspaces").json["workspaces"]
            #expect(places?[0]?.string("name") == "Garden" && places?[0]?.string("role") == "member")
            let members = try await operate(harness, "GET", "/workspaces/\(id)/members?role=owner").json["members"]
            #expect(members?.elements.map(Array.init)?.map { $0.string("user_id") } == ["1"])
            // The owner comes first, then admins.
            try await harness.invite(3, to: id)
            _ = try await harness.call("PUT", "/v1/workspaces/\(id)/members/3/role", json: #"{"role":"admin"}"#)
            let all = try await operate(harness, "GET", "/workspaces/\(id)/members").json["members"]
            #expect(all?.elements.map(Array.init)?.map { $0.string("user_id") } == ["1", "3", "2"])
        }
    }

    @Test("An operator hands a workspace over to a member, and both logs have an entry")
    func handingOver() async throws {
        try await WorkspaceHarness.use { harness async throws in
            let id = try await harness.makeWorkspace()
            try await harness.invite(2, to: id)
            let path = "/workspaces/\(id)/owner/"
            #expect(try await operate(harness, "PUT", path + "3").errorCode == "E15")
            #expect(try await operate(harness, "PUT", path + "1").errorCode == "E11")
            #expect(try await operate(harness, "PUT", path + "2").status == 200)
            #expect(try await harness.sql("select owner from workspace where id = \(id)") == "2")
            #expect(try await harness.sql("select owner from channel where workspace = \(id)") == "2")
            // The new owner acts as one, and the old one does not.
            let role = "/v1/workspaces/\(id)/members/1/role"
            #expect(try await harness.call("PUT", role, user: 1, json: #"{"role":"guest"}"#).errorCode == "E14")
            #expect(try await harness.call("PUT", role, user: 2, json: #"{"role":"admin"}"#).status == 200)
            #expect(try await audited(harness, "workspace.transferred") == "-|2|operator")
            let acts = try await operate(harness, "GET", "/acts?act=workspaces.hand-over").json["acts"]
            let lines = acts?.elements?.map { "\($0.string("subject") ?? "") \($0.string("outcome") ?? "begun")" }
            #expect(
                lines == [
                    "workspaces/\(id)/owner/2 done", "workspaces/\(id)/owner/2 begun", "workspaces/\(id)/owner/1 E11",
                    "workspaces/\(id)/owner/1 begun", "workspaces/\(id)/owner/3 E15", "workspaces/\(id)/owner/3 begun",
                ])
        }
    }

    @Test("A guest that a workspace is handed over to becomes a member")
    func handingOverToGuest() async throws {
        try await WorkspaceHarness.use { harness async throws in
            let id = try await harness.makeWorkspace()
            try await harness.invite(2, to: id)
            #expect(try await operate(harness, "PUT", "/workspaces/\(id)/members/2/role/guest").status == 200)
            let entered = "select count(*) from channel_member where workspace = \(id) and user_id = 2"
            #expect(try await harness.sql(entered) == "0")
            #expect(try await operate(harness, "PUT", "/workspaces/\(id)/owner/2").status == 200)
            #expect(try await harness.sql(entered) == "1")
        }
    }

    @Test("An operator closes a workspace, and not one of the system")
    func closing() async throws {
        try await WorkspaceHarness.use { harness async throws in
            let id = try await harness.makeWorkspace()
            #expect(try await operate(harness, "DELETE", "/workspaces/\(id)").status == 200)
            #expect(try await harness.call("GET", "/v1/workspaces/\(id)").errorCode == "E13")
            let facts = try await harness.sql("select count(*) from outbox where type = 'workspace.deleted'")
            #expect(facts == "1")
            let system = try await harness.sql("select id from workspace where slug is not null limit 1")
            try #require(!system.isEmpty)
            #expect(try await operate(harness, "DELETE", "/workspaces/\(system)").errorCode == "E15")
            #expect(try await operate(harness, "PUT", "/workspaces/\(system)/owner/1").errorCode == "E15")
        }
    }

    @Test("An operator gives a member another role than owner, and the log of the workspace has an entry")
    func roles() async throws {
        try await WorkspaceHarness.use { harness async throws in
            let id = try await harness.makeWorkspace()
            try await harness.invite(2, to: id)
            let path = "/workspaces/\(id)/members/"
            #expect(try await operate(harness, "PUT", path + "2/role/admin").status == 200)
            #expect(try await harness.sql("select role from member where user_id = 2") == "admin")
            #expect(try await audited(harness, "role.changed") == "-|2|operator")
            #expect(try await operate(harness, "PUT", path + "2/role/owner").errorCode == "E11")
            #expect(try await operate(harness, "PUT", path + "1/role/member").errorCode == "E15")
            #expect(try await operate(harness, "PUT", path + "3/role/member").status == 404)
        }
    }

    @Test("The log of operators is listed by operator, subject and act, page by page")
    func listing() async throws {
        try await WorkspaceHarness.use { harness async throws in
            let id = try await harness.makeWorkspace()
            _ = try await operate(harness, "GET", "/workspaces/\(id)")
            _ = try await operate(harness, "GET", "/workspaces/\(id)", as: "ben")
            _ = try await operate(harness, "POST", "/backups/begun", as: "ben")
            func listed(_ query: String) async throws -> [String] {
                try await operate(harness, "GET", "/acts?" + query).json["acts"]?.elements?
                    .map { "\($0.string("operator") ?? "") \($0.string("act") ?? "")" } ?? []
            }
            #expect(try await listed("operator=ben") == ["ben backup", "ben backup", "ben workspaces.show"])
            #expect(try await listed("subject=workspaces/\(id)") == ["ben workspaces.show", "anna workspaces.show"])
            #expect(try await listed("act=backup&limit=1") == ["ben backup"])
            #expect(try await listed("subject=backups/begun").count == 2)
            let first = try await operate(harness, "GET", "/acts?limit=3").json
            let next = try #require(first.string("next"))
            #expect(try await listed("cursor=\(next)") == ["anna workspaces.show"])
            #expect(try await operate(harness, "POST", "/backups/lost").status == 404)
        }
    }

    @Test("D5: no statement changes, deletes or empties the log of operators, not even for its owner or a superuser")
    func unchangeable() async throws {
        try await WorkspaceHarness.use { harness async throws in
            #expect(try await operate(harness, "POST", "/backups/begun").status == 200)
            for role in ["", "set role audit; "] {
                for statement in [
                    "update audit.operator_act set operator = 'ben'", "delete from audit.operator_act",
                    "truncate audit.operator_act",
                ] {
                    await #expect(throws: (any Error).self, "\(role)\(statement)") {
                        try await harness.sql(role + statement)
                    }
                }
            }
            #expect(try await harness.sql("select count(*) from audit.operator_act") == "2")
        }
    }

    @Test("Another service writes an entry once for each step of a call")
    func recording() async throws {
        try await WorkspaceHarness.use { harness async throws in
            let entry =
                #"{"call":"c","at":9,"operator":"anna","address":"10.0.0.1","service":"auth-service","act":"users.disable","subject":"users/5"#
            for json in [entry + #""}"#, entry + #""}"#, entry + #"","outcome":"done"}"#] {
                #expect(try await harness.ask("POST", "/internal/operators/acts", json: json).status == 200)
            }
            #expect(try await harness.sql("select count(*) from audit.operator_act") == "2")
            #expect(try await harness.ask("POST", "/internal/operators/acts", json: "{}").status == 422)
        }
    }

    @Test("A workspace is not handed over to a bot or to a locked-out member")
    func handingOverToBot() async throws {
        try await WorkspaceHarness.use { harness async throws in
            let id = try await harness.makeWorkspace()
            let made = try await harness.call("POST", "/v1/workspaces/\(id)/bots", json: #"{"name":"builder"}"#)
            let bot = try #require(try made.json["bot_id"]?.string)
            try await harness.invite(2, to: id)
            _ = try await harness.sql("update member set locked_out_at = 1 where user_id = 2")
            for owner in [bot, "2"] {
                let reply = try await operate(harness, "PUT", "/workspaces/\(id)/owner/\(owner)")
                #expect(reply.errorCode == "E15", "\(owner): \(reply.text)")
            }
            #expect(try await harness.sql("select owner from workspace where id = \(id)") == "1")
        }
    }
}
