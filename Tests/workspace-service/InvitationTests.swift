import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import workspace_service

@Suite("Invitations", .serialized)
struct InvitationTests {
    private struct Made {
        let id: String
        let token: String
    }

    private static func make(
        _ harness: WorkspaceHarness, in workspace: Int64, _ json: String = "{}", by user: Int64 = 1
    ) async throws -> Made {
        let reply = try await harness.call("POST", "/v1/workspaces/\(workspace)/invitations", user: user, json: json)
        guard reply.status == 201, let id = try reply.json["invitation_id"]?.string else {
            throw NeverHappened(description: "an invitation: \(reply.text)")
        }
        return Made(id: id, token: try reply.json["token"]?.string ?? "")
    }

    private static func accept(
        _ token: String, _ user: Int64, on instance: Int = 0, _ harness: WorkspaceHarness
    ) async throws -> String {
        let reply = try await harness.call(
            "POST", "/v1/workspaces/invitations/accept", user: user, json: #"{"token":"\#(token)"}"#, on: instance)
        return reply.status == 200 ? "ok" : reply.errorCode
    }

    @Test("A22: an invitation of n uses admits n users, even in concurrent requests to several instances")
    func lastUse() async throws {
        try await WorkspaceHarness.use(instances: 2, ["database_connections": "4"]) { harness in
            let id = try await harness.makeWorkspace()
            for uses in [1, 3] {
                let made = try await Self.make(harness, in: id, #"{"uses":\#(uses)}"#)
                let users = (0..<12).map { Int64(100 * uses + $0) }
                let codes = try await withThrowingTaskGroup(of: String.self) { group in
                    for user in users {
                        group.addTask { try await Self.accept(made.token, user, on: Int(user) % 2, harness) }
                    }
                    return try await group.reduce(into: [String]()) { $0.append($1) }
                }
                #expect(codes.filter { $0 == "ok" }.count == uses)
                #expect(codes.filter { $0 == "E13" }.count == users.count - uses)
                let members = try await harness.sql(
                    "select count(*) from member where workspace = \(id) and user_id >= \(users[0])")
                #expect(members == "\(uses)")
                _ = try await harness.sql("delete from member where workspace = \(id) and user_id <> 1")
            }
        }
    }

    @Test("A22: a revoked invitation admits nobody after the reply, and counts the users that it admitted before")
    func revoked() async throws {
        try await WorkspaceHarness.use(instances: 2, ["database_connections": "4"]) { harness in
            let id = try await harness.makeWorkspace()
            let made = try await Self.make(harness, in: id)
            let path = "/v1/workspaces/\(id)/invitations/\(made.id)"
            let admitted = try await withThrowingTaskGroup(of: String?.self) { group in
                for user in Int64(100)..<112 {
                    group.addTask { try await Self.accept(made.token, user, on: Int(user) % 2, harness) }
                }
                group.addTask {
                    let reply = try await harness.call("DELETE", path)
                    #expect(reply.text == "{}")
                    return nil
                }
                return try await group.reduce(into: [String]()) { codes, code in if let code { codes.append(code) } }
            }.filter { $0 == "ok" }.count
            #expect(try await Self.accept(made.token, 200, harness) == "E13")
            let list = try await harness.call("GET", "/v1/workspaces/\(id)/invitations")
            let item = try #require(try list.json["items"]?[0])
            #expect(item["state"]?.string == "revoked" && item["used"]?.int == admitted)
            #expect(try await harness.sql("select count(*) from member where workspace = \(id)") == "\(admitted + 1)")
            let again = try await harness.call("DELETE", path)
            #expect(again.text == "{}")
        }
    }

    @Test("The database itself refuses one use too many")
    func constraint() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            let made = try await Self.make(harness, in: id, #"{"uses":2}"#)
            await #expect(throws: (any Error).self) {
                try await harness.sql("update invitation set uses = 3 where id = \(made.id)")
            }
        }
    }

    @Test("A guest's invitation leads into its channels only, and a preview shows its terms")
    func guests() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            let other = try await harness.makeWorkspace("other")
            let channel = try await harness.makeChannel("partners", in: id)
            let foreign = try await harness.makeChannel("foreign", in: other)
            for wrong in [
                #"{"role":"guest"}"#, #"{"role":"guest","channels":["\#(foreign)"]}"#, #"{"role":"owner"}"#,
                #"{"uses":0}"#, #"{"expiresIn":1}"#, #"{"email":"nobody"}"#, #"{"email":"a@b.kr","uses":2}"#,
                #"{"language":"fr"}"#,
            ] {
                let reply = try await harness.call("POST", "/v1/workspaces/\(id)/invitations", json: wrong)
                #expect(["E11", "E14"].contains(reply.errorCode), "\(wrong)")
            }
            let made = try await Self.make(harness, in: id, #"{"role":"guest","channels":["\#(channel)"],"uses":1}"#)
            let preview = try await harness.call(
                "POST", "/v1/workspaces/invitations/preview", user: 5, json: #"{"token":"\#(made.token)"}"#)
            #expect(try preview.json["workspace"]?["name"]?.string == "work")
            #expect(try preview.json["role"]?.string == "guest" && preview.json["invitedBy"]?.string == "n1")
            #expect(try await Self.accept(made.token, 5, harness) == "ok")
            let seen = try await harness.call("GET", "/v1/workspaces/\(id)", user: 5)
            #expect(try harness.texts(seen, "name", in: "channels") == ["partners"])
            // A member does not use it up, and needs no use that is left: the client may have lost the reply.
            #expect(try await Self.accept(made.token, 5, harness) == "ok")
            #expect(try await harness.sql("select uses from invitation where id = \(made.id)") == "1")
            let log = try await harness.call("GET", "/v1/workspaces/\(id)/audit?action=invitation")
            #expect(
                try log.json["items"]?.elements.map { $0.map { $0["action"]?.string } }
                    == ["invitation.accepted", "invitation.created"])
        }
    }

    @Test("An invitation ends with its time, with the right of its inviter, and for a banned user")
    func ends() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            try await harness.invite(2, to: id)
            func set(_ role: String) async throws {
                _ = try await harness.call(
                    "PUT", "/v1/workspaces/\(id)/members/2/role", json: #"{"role":"\#(role)"}"#)
            }
            try await set("admin")
            let denied = try await harness.call(
                "POST", "/v1/workspaces/\(id)/invitations", user: 2, json: #"{"role":"admin"}"#)
            #expect(denied.errorCode == "E14")
            let made = try await Self.make(harness, in: id, by: 2)
            _ = try await harness.call("PUT", "/v1/workspaces/\(id)/bans/6", json: "{}")
            #expect(try await Self.accept(made.token, 6, harness) == "E15")
            try await set("member")
            #expect(try await Self.accept(made.token, 5, harness) == "E13")
            try await set("admin")
            #expect(try await Self.accept(made.token, 5, harness) == "ok")
            _ = try await harness.sql("update invitation set expires_at = 1")
            #expect(try await Self.accept(made.token, 7, harness) == "E13")
            #expect(try await Self.accept("no token", 7, harness) == "E13")
        }
    }

    @Test("The mail of an invitation is ordered by a fact, and its text is given while the invitation is valid")
    func mails() async throws {
        try await WorkspaceHarness.use(["invitation_link": "https://chat.example.com/#invitation="]) { harness in
            let id = try await harness.makeWorkspace()
            let made = try await Self.make(harness, in: id, #"{"email":"new@example.com","language":"en"}"#)
            // Only the recipient gets the token.
            #expect(made.token.isEmpty)
            let facts = try await FactStream(redis: harness.redis).bodies(of: "invitation.mailed", count: 1)
            #expect(facts.first?["invitation_id"]?.string == made.id)
            let mail = try await harness.ask("GET", "/internal/invitations/\(made.id)/mail")
            #expect(try mail.json["recipient"]?.string == "new@example.com")
            #expect(try mail.json["workspace"]?.string == "work" && mail.json["inviter"]?.string == "n1")
            #expect(try mail.json["link"]?.string == "https://chat.example.com/#invitation=")
            let link = try await Self.make(harness, in: id)
            let none = try await harness.ask("GET", "/internal/invitations/\(link.id)/mail")
            #expect(none.status == 404)
            _ = try await harness.call("DELETE", "/v1/workspaces/\(id)/invitations/\(made.id)")
            let revoked = try await harness.ask("GET", "/internal/invitations/\(made.id)/mail")
            #expect(revoked.status == 404)
            #expect(try await harness.sql("select count(*) from invitation where recipient is not null") == "0")
            harness.peers.change { $0.sendsMail = false }
            let unable = try await harness.call(
                "POST", "/v1/workspaces/\(id)/invitations", json: #"{"email":"new@example.com"}"#)
            #expect(unable.errorCode == "E99")
        }
    }

    @Test("A workspace that accepts requests lists them, and an owner or admin lets the user in or declines")
    func requests() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            let path = "/v1/workspaces/\(id)/join-requests"
            func ask(_ user: Int64, _ text: String = "hello") async throws -> HTTPCall.Reply {
                try await harness.call("POST", path, user: user, json: #"{"text":"\#(text)"}"#)
            }
            #expect(try await ask(5).errorCode == "E13")
            let settings = try await harness.call(
                "PUT", "/v1/workspaces/\(id)/settings", json: #"{"joinRequests":true}"#)
            #expect(settings.text == #"{"joinRequests":true,"requiresSecondFactor":false}"#)
            _ = try await harness.call("PUT", "/v1/workspaces/\(id)/bans/9", json: "{}")
            #expect(try await ask(9).errorCode == "E13")
            for user in [5, 6, 7] as [Int64] { #expect(try await ask(user).status == 200) }
            #expect(try await ask(5, "hello again").status == 200)
            let withdrawn = try await harness.call("DELETE", path, user: 7)
            #expect(withdrawn.text == "{}")
            // Asking again and again does not fill the audit log: a day, which may end meanwhile, has one entry.
            for _ in 1...3 {
                #expect(try await ask(7).status == 200)
                #expect(try await harness.call("DELETE", path, user: 7).text == "{}")
            }
            let entries = """
                select count(*) between 1 and count(distinct at / 86400000) from audit.entry
                where action = 'join.requested' and actor = 7
                """
            #expect(try await harness.sql(entries) == "t")
            let list = try await harness.call("GET", path)
            #expect(
                try list.json["items"]?.elements.map { $0.map { $0["user"]?["user_id"]?.string } } == ["5", "6"])
            #expect(try list.json["items"]?[0]?["text"]?.string == "hello again")
            func decide(_ user: Int64, _ action: String) async throws -> String {
                let reply = try await harness.call("PUT", "\(path)/\(user)", json: #"{"action":"\#(action)"}"#)
                return reply.status == 200 ? "ok" : reply.errorCode
            }
            #expect(try await decide(5, "approve") == "ok")
            #expect(try await decide(6, "decline") == "ok")
            #expect(try await decide(6, "approve") == "E13")
            #expect(try await decide(7, "think") == "E11")
            let member = try await harness.call("GET", "/v1/workspaces/\(id)", user: 5)
            #expect(member.status == 200)
            let paused = try await ask(6)
            #expect(paused.errorCode == "E98" && Int(paused.headers["retry-after"] ?? "") ?? 0 > 86_400)
        }
    }

    @Test("An admin cannot read a link that makes admins")
    func linksOfAdmins() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            try await harness.invite(2, to: id)
            _ = try await harness.call("PUT", "/v1/workspaces/\(id)/members/2/role", json: #"{"role":"admin"}"#)
            _ = try await Self.make(harness, in: id, #"{"role":"admin"}"#)
            _ = try await Self.make(harness, in: id)
            func shown(to user: Int64) async throws -> [Bool]? {
                let list = try await harness.call("GET", "/v1/workspaces/\(id)/invitations", user: user)
                return try list.json["items"]?.elements.map { $0.map { $0["token"]?.string != nil } }
            }
            #expect(try await shown(to: 1) == [true, true])
            #expect(try await shown(to: 2) == [true, false])
        }
    }
}
