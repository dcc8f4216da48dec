import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import workspace_service

@Suite("Required second factors", .serialized)
struct SecondFactorTests {
    private static let required = #"{"requiresSecondFactor":true}"#

    /// Publishes that a user has turned the second factor on or off, as auth-service does.
    private func publish(_ harness: WorkspaceHarness, _ user: Int64, isOn: Bool, version: Int) async throws {
        harness.peers.change { peers in
            if isOn { peers.withSecondFactor.insert(user) } else { peers.withSecondFactor.remove(user) }
        }
        try await harness.redis.command(
            "XADD", "facts:auth", "*", "id", "\(1000 * user + Int64(version))", "type", "second-factor.changed", "body",
            #"{"user_id":"\#(user)","on":\#(isOn),"version":\#(version)}"#)
        try await eventually(within: .seconds(30), "version \(version) of user \(user)") {
            try await harness.sql("select version >= \(version) from second_factor where user_id = \(user)") == "t"
        }
    }

    /// Lets the grace of everybody end.
    private func endGrace(_ harness: WorkspaceHarness) async throws {
        _ = try await harness.sql(
            """
            update workspace set second_factor_from = 1, second_factor_grace = 0 where second_factor_from is not null;
            update member set second_factor_due = 1 where second_factor_due is not null
            """)
    }

    private func untilAnswer(
        _ answer: String, _ harness: WorkspaceHarness, _ user: Int64, _ path: String
    ) async throws {
        try await eventually(within: .seconds(30), "\(answer) for user \(user)") {
            let reply = try await harness.call("GET", path, user: user)
            return (reply.status == 200 ? "ok" : reply.errorCode) == answer
        }
    }

    @Test("A20: a member without a required second factor is refused after the grace, until it is set up")
    func lockOut() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            let path = "/v1/workspaces/\(id)"
            for user in [2, 3] as [Int64] { try await harness.invite(user, to: id) }
            let channel = try await harness.makeChannel("general", in: id)
            for user in [2, 3] as [Int64] { try await harness.join(user, channel) }
            func set(_ json: String, user: Int64 = 1) async throws -> HTTPCall.Reply {
                try await harness.call("PUT", path + "/settings", user: user, json: json)
            }
            // Owners must not lock themselves out, and nobody else decides.
            #expect(try await set(Self.required).errorCode == "E15")
            #expect(try await set(Self.required, user: 2).errorCode == "E14")
            #expect(try await set(#"{"secondFactorGraceDays":31}"#).errorCode == "E11")
            for user in [1, 3] as [Int64] { try await publish(harness, user, isOn: true, version: 1) }
            let reply = try await set(Self.required)
            #expect(try reply.json["requiresSecondFactor"]?.bool == true, "\(reply.text)")
            #expect(try reply.json["secondFactorGraceDays"]?.int == 7)

            // During the grace members go on as before, know its end, and the owner sees them in a list.
            #expect(try await harness.call("GET", path, user: 2).status == 200)
            let role = try await harness.call("GET", path + "/role", user: 2)
            #expect(try role.json["secondFactorDueAt"]?.string == reply.json["secondFactorFrom"]?.string)
            func lacking() async throws -> [JSONValue] {
                try await harness.call("GET", path + "/second-factor").json["items"]?.elements.map(Array.init) ?? []
            }
            #expect(try await lacking().map { $0["user"]?["user_id"]?.string } == ["2"])
            #expect(try await lacking()[0]["lockedOut"]?.bool == false)
            #expect(try await lacking()[0]["dueAt"]?.string == reply.json["secondFactorFrom"]?.string)
            #expect(try await harness.call("GET", path + "/second-factor", user: 3).errorCode == "E14")

            try await endGrace(harness)
            try await untilAnswer("E08", harness, 2, path)
            let refused = try await harness.call("GET", path + "/channels", user: 2)
            #expect(refused.status == 403 && refused.errorCode == "E08", "\(refused.text)")
            // Shipped apps cannot set one up, and get a code that they know.
            #expect(try await harness.call("GET", path, user: 2, key: "gen-2024-07").errorCode == "E14")
            #expect(try await harness.call("GET", path + "/channels/my", user: 2, key: "sooda").errorCode == "E14")
            #expect(try await lacking()[0]["lockedOut"]?.bool == true)
            // Members with a second factor notice nothing, and the workspace stays in the list.
            #expect(try await harness.call("GET", path, user: 3).status == 200)
            let own = try await harness.call("GET", "/v1/workspaces", user: 2)
            #expect(try harness.texts(own, "workspace_id") == ["\(id)"])

            // For the other services the member is gone: chat-service and realtime-gateway act on facts and on access.
            let facts = FactStream(redis: harness.redis)
            let removals = try await facts.bodies(of: "workspace.member.removed", count: 1)
            #expect(removals.map { $0["user_id"]?.string } == ["2"])
            let access = #"{"user_id":"2","channels":["\#(channel)"],"workspaces":["\#(id)"]}"#
            #expect(
                try await harness.ask("POST", "/internal/access", json: access).text
                    == #"{"channels":[],"workspaces":[]}"#)
            #expect(try await harness.ask("POST", "/internal/lock-outs", json: access).text == #"{"ids":["\#(id)"]}"#)
            let ofChannel = #"{"user_id":"2","channels":["\#(channel)"],"workspaces":[]}"#
            #expect(
                try await harness.ask("POST", "/internal/lock-outs", json: ofChannel).text == #"{"ids":["\#(id)"]}"#)
            let members = try await harness.ask("GET", "/internal/channels/\(channel)/members")
            #expect(try members.json["members"]?.elements?.compactMap(\.string) == ["1", "3"], "\(members.text)")
            #expect(
                try await harness.ask("POST", "/internal/memberships", json: #"{"ids":["2"]}"#).text
                    == #"{"memberships":[]}"#)
            #expect(
                try await harness.ask("POST", "/internal/starts/channels", json: #"{"ids":["2"]}"#).text
                    == #"{"users":[]}"#)
            #expect(try await harness.ask("GET", "/internal/users/2/channels").text == #"{"channels":[]}"#)
            let joining = try await harness.ask(
                "POST", "/internal/channels/\(channel)/join", json: #"{"user_id":"2"}"#)
            #expect(joining.errorCode == "E13")

            // It ends when the member sets one up. Their channels are theirs again.
            try await publish(harness, 2, isOn: true, version: 1)
            try await untilAnswer("ok", harness, 2, path)
            let seen = try await harness.ask("POST", "/internal/access", json: access)
            #expect(try seen.json["channels"]?[0]?["role"]?.string == "member")
            // The owner and both members were added before.
            let additions = try await facts.bodies(of: "workspace.member.added", count: 4)
            #expect(additions.map { $0["user_id"]?.string } == ["1", "2", "3", "2"])
            #expect(try await lacking().isEmpty)
            let log = try await harness.sql(
                """
                select action, user_id, detail->>'requiresSecondFactor' from audit.entry
                where action in ('settings.changed', 'member.locked', 'member.unlocked') order by id
                """)
            #expect(log == "settings.changed||true\nmember.locked|2|\nmember.unlocked|2|")
        }
    }

    @Test("A20: a locked-out member gets E08 from every route of the workspace, owners as well")
    func everyRoute() async throws {
        try await WorkspaceHarness.use { harness in
            let fixtures = try await Fixture.make(AccessTable.rows.count, in: harness)
            _ = try await harness.sql("update member set locked_out_at = 1 where user_id = 1")
            // One's own workspaces and requests, links and the leaving of a workspace, which an owner must hand over first.
            let others = [
                "POST /v1/workspaces": "ok", "GET /v1/workspaces": "ok", "GET /v1/workspaces/{id}/leave": "E15",
                "GET /v1/workspaces/{id}/exit": "E15", "DELETE /v1/workspaces/{id}/exit": "E15",
                "POST /v1/workspaces/invitations/preview": "ok", "DELETE /v1/workspaces/{id}/join-requests": "ok",
                "GET /v1/static/workspaces/{name}": "ok", "GET /v1/static/channels/{name}": "E13",
                "POST /v1/static/workspaces/links": "ok", "POST /v1/static/channels/links": "ok",
            ]
            for (row, fixture) in zip(AccessTable.rows, fixtures) {
                let path = row.path(fixture)
                let reply =
                    if let form = row.form(name: "new") {
                        try await harness.call(row.method, path, key: row.key, form: form)
                    } else {
                        try await harness.call(row.method, path, key: row.key, json: row.json(fixture) ?? "")
                    }
                let refusal = row.key == "native" ? "E08" : "E14"
                let answer = (200...201).contains(reply.status) ? "ok" : reply.errorCode
                #expect(answer == others[row.route] ?? refusal, "\(row.route): \(reply.text)")
            }
        }
    }

    @Test("A20: a workspace without a grace locks members out at once, and lets them in when it requires none any more")
    func lifted() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            let path = "/v1/workspaces/\(id)"
            for user in [2, 3] as [Int64] { try await harness.invite(user, to: id) }
            for user in [1, 3] as [Int64] { try await publish(harness, user, isOn: true, version: 1) }
            func set(_ json: String) async throws {
                let reply = try await harness.call("PUT", path + "/settings", json: json)
                #expect(reply.status == 200, "\(reply.text)")
            }
            try await set(#"{"requiresSecondFactor":true,"secondFactorGraceDays":0}"#)
            #expect(try await harness.call("GET", path, user: 2).errorCode == "E08")
            // Turning it off locks a member out as well. A fact that comes late changes nothing.
            try await publish(harness, 3, isOn: false, version: 3)
            try await untilAnswer("E08", harness, 3, path)
            try await publish(harness, 3, isOn: true, version: 2)
            // Facts are consumed in order, so the late one has been when this one has.
            try await publish(harness, 9, isOn: true, version: 1)
            #expect(try await harness.sql("select is_on from second_factor where user_id = 3") == "f")
            #expect(try await harness.call("GET", path, user: 3).errorCode == "E08")

            // A longer grace counts from its setting on, for members that are locked out as well.
            try await set(#"{"secondFactorGraceDays":3}"#)
            for user in [2, 3] as [Int64] { #expect(try await harness.call("GET", path, user: user).status == 200) }
            // A new member gets the grace from their joining on.
            _ = try await harness.sql("update workspace set second_factor_from = 1")
            try await harness.invite(4, to: id)
            let due = try await harness.sql(
                "select second_factor_due - joined_at from member where user_id = 4 and workspace = \(id)")
            #expect(due == "\(3 * 86_400_000)")
            try await endGrace(harness)
            for user in [2, 3, 4] as [Int64] { try await untilAnswer("E08", harness, user, path) }
            // Members may leave without one, and the owner may remove them.
            #expect(try await harness.call("DELETE", path + "/exit", user: 3).status == 200)
            #expect(try await harness.call("DELETE", path + "/members/4", user: 1).status == 200)
            try await set(#"{"requiresSecondFactor":false}"#)
            #expect(try await harness.call("GET", path, user: 2).status == 200)
            #expect(
                try await harness.sql(
                    "select count(*) from member where locked_out_at is not null or second_factor_due is not null")
                    == "0")
        }
    }

    @Test("A20: a locked-out member admits nobody by a link, and becomes no owner")
    func lostRights() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            let path = "/v1/workspaces/\(id)"
            try await harness.invite(2, to: id)
            _ = try await harness.call("PUT", path + "/members/2/role", json: #"{"role":"admin"}"#)
            let made = try await harness.call("POST", path + "/invitations", user: 2, json: "{}")
            let token = try #require(try made.json["token"]?.string)
            _ = try await harness.sql("update member set locked_out_at = 1 where user_id = 2")
            let accepted = try await harness.call(
                "POST", "/v1/workspaces/invitations/accept", user: 5, json: #"{"token":"\#(token)"}"#)
            #expect(accepted.errorCode == "E13", "\(accepted.text)")
            let transferred = try await harness.call(
                "PUT", path + "/transfer/ownership", json: #"{"owner_id":"2"}"#)
            #expect(transferred.errorCode == "E11", "\(transferred.text)")
        }
    }

    @Test("A change of another setting does not enter the log as a change of the rule")
    func logged() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            harness.peers.change { $0.withSecondFactor = [1] }
            for json in [Self.required, #"{"requiresSecondFactor":false}"#, #"{"joinRequests":true}"#, "{}"] {
                let reply = try await harness.call("PUT", "/v1/workspaces/\(id)/settings", json: json)
                #expect(reply.status == 200, "\(reply.text)")
            }
            let log = try await harness.sql(
                """
                select string_agg(coalesce(detail->>'requiresSecondFactor', '-'), ',' order by id)
                from audit.entry where action = 'settings.changed'
                """)
            #expect(log == "true,false,-")
        }
    }
}
