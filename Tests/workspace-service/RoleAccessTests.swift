import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import workspace_service

@Suite("Access by role", .serialized)
struct RoleAccessTests {
    @Test("A8: each route answers each role as the role table says")
    func table() async throws {
        try await WorkspaceHarness.use { harness in
            #expect(RoleTable.answers.keys.sorted() == harness.routes.clients)
            let roles = RoleTable.Role.allCases
            let fixtures = try await Fixture.make(AccessTable.rows.count * roles.count, in: harness)
            _ = try await harness.sql(RoleTable.members)
            for (index, row) in AccessTable.rows.enumerated() {
                for (place, role) in roles.enumerated() {
                    let fixture = fixtures[index * roles.count + place]
                    let path = row.path(fixture)
                    let reply =
                        if let form = row.form(name: "of \(role)") {
                            try await harness.call(row.method, path, user: role.rawValue, key: row.key, form: form)
                        } else {
                            try await harness.call(
                                row.method, path, user: role.rawValue, key: row.key, json: row.json(fixture) ?? "")
                        }
                    let answer = (200...201).contains(reply.status) ? "ok" : reply.errorCode
                    #expect(answer == RoleTable.answers[row.route]?[place], "\(row.route) as \(role): \(reply.text)")
                }
            }
        }
    }

    @Test("A guest is shown the channels that they were put in and the people there, in every list and search")
    func guests() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            for user in [2, 3, 4] as [Int64] { try await harness.invite(user, to: id) }
            let channel = try await harness.makeChannel("partners", in: id)
            let other = try await harness.makeChannel("secret", in: id)
            try await harness.join(2, channel)
            let path = "/v1/workspaces/\(id)"
            let set = try await harness.call("PUT", path + "/members/4/role", json: #"{"role":"guest"}"#)
            #expect(set.text == "{}")
            // A new guest leaves the default channel, which everybody is in.
            let alone = try await harness.call("GET", path, user: 4)
            #expect(try harness.texts(alone, "name", in: "channels") == [])
            #expect(try harness.texts(alone, "user_id", in: "workspaceMembers") == ["4"])
            let put = try await harness.call("PUT", path + "/channels/\(channel)/members/4", json: "{}")
            #expect(put.text == "{}")

            for key in ["gen-2024-07", "native"] {
                func list(_ rest: String, _ name: String, in list: String? = nil) async throws -> [String] {
                    try harness.texts(try await harness.call("GET", path + rest, user: 4, key: key), name, in: list)
                }
                #expect(try await list("", "name", in: "channels") == ["partners"])
                #expect(try await list("", "user_id", in: "workspaceMembers") == ["1", "2", "4"])
                #expect(try await list("/members", "user_id") == ["1", "2", "4"])
                #expect(try await list("/channels", "name") == ["partners"])
                #expect(try await list("/my-channels", "name") == ["partners"])
                #expect(try await list("/channels/\(channel)/members", "user_id") == ["1", "2", "4"])
                let found = try await list("/search?keyword=example", "user_id", in: "workspaceMembers")
                #expect(found == ["1", "2", "4"])
                #expect(try await list("/search?keyword=e", "name", in: "channels") == ["partners"])
                for hidden in ["/members/3", "/channels/\(other)", "/channels/\(other)/members"] {
                    let reply = try await harness.call("GET", path + hidden, user: 4, key: key)
                    #expect(reply.errorCode == "E13", "\(hidden)")
                }
            }
            let join = try await harness.ask("POST", "/internal/channels/\(other)/join", json: #"{"user_id":"4"}"#)
            #expect(join.status == 404)
            let access = try await harness.ask(
                "POST", "/internal/access",
                json: #"{"user_id":"4","channels":["\#(channel)","\#(other)"],"workspaces":["\#(id)"]}"#)
            #expect(
                try access.json["channels"]?.elements.map { $0.map { $0["channel_id"]?.string } } == ["\(channel)"])
            #expect(try access.json["workspaces"]?[0]?["member_role"]?.string == "guest")
            let seen = try await harness.ask(
                "POST", "/internal/acquaintances", json: #"{"user_id":"4","others":["1","2","3"]}"#)
            #expect(seen.text == #"{"ids":["1","2"]}"#)
            let page = try await harness.ask("GET", "/internal/workspaces/\(id)/members?seen_by=4")
            #expect(page.text == #"{"members":["1","2","4"]}"#)
            let visible = try await harness.ask("GET", "/internal/workspaces/\(id)/channels?user_id=4")
            let visibleIDs = try visible.json["channels"]?.elements?.map { $0["channel_id"]?.string }
            #expect(visibleIDs == ["\(channel)"])
            // Members see the guest.
            let all = try await harness.call("GET", path + "/members", user: 3)
            #expect(try harness.texts(all, "user_id") == ["1", "2", "3", "4"])
        }
    }

    @Test("A guest leaves the default channel with a fact of the removal, and a promoted guest enters it with one")
    func facts() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            try await harness.invite(2, to: id)
            let channel = try await harness.makeChannel("partners", in: id)
            try await harness.join(2, channel)
            func set(_ body: String) async throws {
                let reply = try await harness.call("PUT", "/v1/workspaces/\(id)/members/2/role", json: body)
                #expect(reply.text == "{}")
            }
            let stream = FactStream(redis: harness.redis)
            try await set(#"{"role":"guest"}"#)
            let removed = try await stream.bodies(of: "channel.member.removed", count: 1)
            #expect(removed.map { $0["name"]?.string } == ["일반"])
            // The role is the same, so nothing happens.
            try await set(#"{"role":"guest","channels":[]}"#)
            try await set(#"{"role":"member"}"#)
            let added = try await stream.bodies(of: "channel.member.added", count: 3)
            #expect(added.map { $0["name"]?.string } == ["partners", "partners", "일반"])
            try await set(#"{"role":"guest","channels":[]}"#)
            let all = try await stream.bodies(of: "channel.member.removed", count: 3)
            #expect(Set(all.map { $0["name"]?.string }) == ["일반", "partners"])
        }
    }

    @Test("A banned user is removed, and no way leads back until the ban is lifted")
    func bans() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            try await harness.invite(2, to: id)
            let path = "/v1/workspaces/\(id)"
            for _ in 0..<2 {
                let reply = try await harness.call("PUT", path + "/bans/2", json: "{}")
                #expect(reply.text == "{}")
            }
            let removed = try await FactStream(redis: harness.redis).bodies(of: "workspace.member.removed", count: 1)
            #expect(removed.count == 1)
            let gone = try await harness.call("GET", path, user: 2)
            #expect(gone.errorCode == "E13")
            let refused = try await harness.call("POST", path + "/members", json: #"{"email":"2@example.com"}"#)
            #expect(refused.errorCode == "E15")
            let list = try await harness.call("GET", path + "/bans")
            #expect(try list.json["items"]?[0]?["user"]?["user_id"]?.string == "2")
            #expect(try list.json["items"]?[0]?["bannedBy"]?.string == "1")
            let lifted = try await harness.call("DELETE", path + "/bans/2")
            #expect(lifted.text == "{}")
            try await harness.invite(2, to: id)
            let oneself = try await harness.call("PUT", path + "/bans/1", json: "{}")
            #expect(oneself.errorCode == "E11")
        }
    }

    @Test("Admins act on lower roles only, and only a transfer makes an owner")
    func ranks() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            for user in [2, 3, 4] as [Int64] { try await harness.invite(user, to: id) }
            func set(_ user: Int64, _ role: String, by actor: Int64) async throws -> String {
                let reply = try await harness.call(
                    "PUT", "/v1/workspaces/\(id)/members/\(user)/role", user: actor, json: #"{"role":"\#(role)"}"#)
                return reply.status == 200 ? "ok" : reply.errorCode
            }
            #expect(try await set(2, "admin", by: 1) == "ok")
            #expect(try await set(3, "admin", by: 1) == "ok")
            for (user, role, actor, code) in [
                (4, "guest", 2, "ok"), (4, "member", 2, "ok"), (4, "admin", 2, "E14"), (3, "member", 2, "E14"),
                (1, "member", 2, "E14"), (4, "owner", 1, "E11"), (4, "king", 1, "E11"), (9, "guest", 1, "E13"),
                (1, "admin", 1, "E14"), (4, "guest", 4, "E14"), (2, "member", 2, "ok"), (2, "admin", 2, "E14"),
            ] as [(Int64, String, Int64, String)] {
                #expect(try await set(user, role, by: actor) == code, "\(actor) makes \(user) \(role)")
            }
            let list = try await harness.call("GET", "/v1/workspaces/\(id)/roles?limit=2", user: 4)
            #expect(try list.json["items"]?.elements.map { $0.map { $0["role"]?.string } } == ["owner", "member"])
            let next = try #require(try list.json["next"]?.string)
            let rest = try await harness.call("GET", "/v1/workspaces/\(id)/roles?limit=2&cursor=\(next)", user: 4)
            #expect(try rest.json["items"]?.elements.map { $0.map { $0["role"]?.string } } == ["admin", "member"])
            let admins = try await harness.call("GET", "/v1/workspaces/\(id)/roles?role=admin", user: 4)
            #expect(try admins.json["items"]?.elements.map { $0.map { $0["user"]?["user_id"]?.string } } == ["3"])
            let own = try await harness.call("GET", "/v1/workspaces/\(id)/role", user: 4)
            #expect(
                own.text == #"{"role":"member","actions":["see","seeEverybody","joinChannels","createChannels"]}"#)
        }
    }
}
