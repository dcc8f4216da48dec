import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import workspace_service

@Suite("Erasure of deleted accounts", .serialized)
struct ErasureTests {
    private static let answers = ErasureAnswers(
        "workspace",
        [
            "member": .erased("user_id = $user"), "channel_member": .erased("user_id = $user"),
            "workspace": .erased("owner = $user"), "channel": .erased("owner = $user"),
            "ban": .erased("user_id = $user or banned_by = $user"),
            "bot": .erased("created_by = $user"), "second_factor": .erased("user_id = $user"),
            "second_factor_notice": .erased("user_id = $user"), "second_factor_grace": .erased("user_id = $user"),
            "join_request": .erased("user_id = $user"),
            "invitation": .erased("created_by = $user"),
            "unused_cover": .kept("pictures of workspaces and channels"),
            "outbox": .kept("facts name a number, and go after a day"), "schema_migrations": .kept("names no user"),
            "audit.entry": .erased("actor = $user and num_nonnulls(address, app, session) > 0"),
            "audit.operator_act": .kept("acts of operators name a user by number, and nobody can change them"),
        ],
        exports: [
            "member": .section("memberships"), "channel_member": .section("channels"),
            "workspace": .section("ownWorkspaces"), "channel": .section("ownChannels"),
            "ban": .section("bans"), "join_request": .section("requests"), "invitation": .section("invitations"),
            "bot": .section("bots"),
            "second_factor": .elsewhere("the second factor in the export of auth-service"),
            "second_factor_grace": .section("secondFactorGraces"),
            "second_factor_notice": .elsewhere("its mail, and the memberships"),
            "unused_cover": .withheld("pictures of workspaces and channels"),
            "outbox": .elsewhere("facts of memberships"), "schema_migrations": .withheld("names no user"),
            "audit.entry": .section("auditEntries"), "audit.operator_act": .withheld("acts of operators"),
        ])

    private func publish(_ harness: WorkspaceHarness, user: Int, round: Int = 1) async throws {
        let body = #"{"user_id":"\#(user)","round":\#(round),"messages":false}"#
        try await harness.redis.command(
            "XADD", "facts:auth", "*", "id", "\(round)", "type", "user.deleted", "body", body)
        try await eventually(within: .seconds(30), "the report of round \(round)") {
            harness.peers.change { $0.erased.contains("\(user) \(round)") }
        }
    }

    @Test("D4: every table has an answer to deletion and export; the export has the planted rows, and none is left")
    func everyTable() async throws {
        try await WorkspaceHarness.use { harness in
            #expect(try await Self.answers.unanswered(in: harness.database) == [])
            // A workspace of the user's alone, one of another owner with a channel of the user's, and one that the user
            // shares as its owner: someone joined it after auth-service had asked.
            let own = try await harness.makeWorkspace("own", owner: 2)
            let other = try await harness.makeWorkspace("other")
            try await harness.invite(2, to: other)
            let channel = try await harness.makeChannel("general", in: other, owner: 2)
            let banning = try await harness.call("PUT", "/v1/workspaces/\(own)/bans/8", user: 2, json: "{}")
            #expect(banning.text == "{}")
            _ = try await harness.sql("insert into ban values (\(other), 2, 1, 1), (\(other), 9, 2, 1)")
            _ = try await harness.sql("insert into second_factor values (2, true, 1)")
            _ = try await harness.sql("insert into second_factor_notice values (\(other), 2, 1, 1, 9000000000000)")
            _ = try await harness.sql("insert into second_factor_grace values (\(other), 2, 1)")
            _ = try await harness.sql("insert into bot values (\(other), 99, 2, 1)")
            _ = try await harness.sql("insert into join_request values (\(other), 2, 'hello', 1)")
            let link = try await harness.call("POST", "/v1/workspaces/\(own)/invitations", user: 2, json: "{}")
            #expect(link.status == 201)
            let shared = try await harness.makeWorkspace("shared", owner: 2)
            for user in [3, 4] as [Int64] { try await harness.invite(user, to: shared, by: 2) }
            #expect(try await Self.answers.tables(with: "2", in: harness.database) == Self.answers.erasing)
            let export = try await ExportedRecords(of: "2") { try await harness.ask("GET", $0).json }
            #expect(Self.answers.sections(missingIn: export.sections.keys) == [])
            #expect(export.texts("ownWorkspaces", "workspace_id") == ["\(own)", "\(shared)"])
            #expect(export.texts("memberships", "workspace_id") == ["\(own)", "\(other)", "\(shared)"])
            #expect(export.texts("memberships", "role") == ["owner", "member", "owner"])
            #expect(export.texts("madeBans", "user_id") == ["8", "9"])
            #expect(export.texts("ownChannels", "channel_id").contains("\(channel)"))
            // The log keeps its entries; the deletion takes their origin, which the export therefore has.
            #expect(Set(export.texts("auditEntries", "address")) == ["127.0.0.1"])
            let origins = try await harness.sql(
                "select count(*) from audit.entry where actor = 2 and address is not null")
            #expect(origins == "\(export.sections["auditEntries"]?.count ?? 0)")
            #expect(export.texts("auditEntries", "app").contains("native"))
            let asked = try await harness.ask("GET", "/internal/users/2/shared-workspaces")
            #expect(asked.text == #"{"ids":["\#(shared)"]}"#)

            try await publish(harness, user: 2)
            #expect(try await Self.answers.tables(with: "2", in: harness.database) == [])
            let left = try await harness.sql("select string_agg(id || ' ' || owner, ',' order by id) from workspace")
            #expect(left == "\(other) 1,\(shared) 3")
            #expect(try await harness.sql("select owner from channel where id = \(channel)") == "1")
            let facts = FactStream(redis: harness.redis)
            #expect(try await facts.bodies(of: "workspace.member.removed", count: 2).count == 2)
            let deletions = try await facts.bodies(of: "workspace.deleted", count: 1)
            #expect(deletions.first?["workspace_id"]?.string == "\(own)")
            // The audit log keeps the actions, without their origin.
            let log = try await harness.sql(
                "select distinct action, address is null from audit.entry where actor = 2 order by 1")
            let emptied = try await ExportedRecords(of: "2") { try await harness.ask("GET", $0).json }
            #expect(emptied.sections["auditEntries"] == nil && emptied.sections["madeBans"] == nil)
            #expect(log == "invitation.created|t\nmember.added|t\nmember.banned|t")
            // A repeated fact changes nothing.
            try await publish(harness, user: 2, round: 2)
        }
    }

    @Test("An invitation that ends with the account of its inviter keeps no address")
    func invitedAddress() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            try await harness.invite(2, to: id)
            _ = try await harness.call("PUT", "/v1/workspaces/\(id)/members/2/role", json: #"{"role":"admin"}"#)
            let made = try await harness.call(
                "POST", "/v1/workspaces/\(id)/invitations", user: 2, json: #"{"email":"new@example.com"}"#)
            #expect(made.status == 201, "\(made.text)")
            try await publish(harness, user: 2)
            #expect(try await harness.sql("select count(*) from invitation where recipient is not null") == "0")
        }
    }

    @Test("D1: no invitation keeps the address of a deleted account, however its inviter spelled it")
    func addressOfRecipient() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            for email in ["2@Example.com", "3@Example.com"] {
                let made = try await harness.call(
                    "POST", "/v1/workspaces/\(id)/invitations", json: #"{"email":"\#(email)"}"#)
                #expect(made.status == 201, "\(made.text)")
            }
            try await publish(harness, user: 2)
            let kept = try await harness.sql(
                "select string_agg(recipient, ',') from invitation where revoked_at is null")
            #expect(kept == "3@Example.com")
        }
    }
}
