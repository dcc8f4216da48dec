import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import workspace_service

@Suite("System workspaces", .serialized)
struct SystemWorkspaceTests {
    private func enter(_ harness: WorkspaceHarness, _ user: Int64, _ slugs: String = #""lobby""#) async throws -> Int {
        try await harness.ask(
            "POST", "/internal/auto-join", json: #"{"user_id":"\#(user)","slugs":[\#(slugs)]}"#
        ).status
    }

    private func lobby(_ harness: WorkspaceHarness, _ user: Int64 = 1) async throws -> JSONValue? {
        try await harness.call("GET", "/v1/workspaces", user: user, key: "gathering").json[0]
    }

    @Test("Concurrently starting instances create each system workspace once")
    func made() async throws {
        try await WorkspaceHarness.use(instances: 2) { harness in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<2 { group.addTask { try await harness.start() } }
                try await group.waitForAll()
            }
            let made = try await harness.sql(
                "select w.slug, w.name, c.name from workspace w join channel c on c.workspace = w.id and c.is_default")
            #expect(made == "lobby|lobby|일반")
        }
    }

    @Test("Concurrent automatic joins add one member to workspace and default channel and publish one fact")
    func entering() async throws {
        try await WorkspaceHarness.use { harness in
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<6 { group.addTask { try await enter(harness, 1) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses == Array(repeating: 200, count: 6))
            let lobby = try await lobby(harness)
            let id = lobby?["workspace_id"]?.string ?? ""
            let mine = try await harness.call("GET", "/v1/workspaces/\(id)/my-channels", key: "gathering")
            #expect(try harness.texts(mine, "name") == ["일반"])
            let facts = try await FactStream(redis: harness.redis).bodies(of: "workspace.member.added", count: 1)
            #expect(facts.count == 1)
            // It has no owner: clients see the owner id 0, and no user may change it.
            #expect(lobby?["owner_id"]?.string == "0")
            let owner = try await harness.call("GET", "/v1/workspaces/\(id)/members/0", key: "gathering")
            #expect(try owner.json["user_id"]?.string == "0")
            let work = try await harness.makeWorkspace()
            let nobody = try await harness.call("GET", "/v1/workspaces/\(work)/members/0", key: "gathering")
            #expect(nobody.errorCode == "E13", "a user owns it")
            let changed = try await harness.call(
                "PUT", "/v1/workspaces/\(id)", key: "gathering", json: #"{"name":"mine"}"#)
            #expect(changed.errorCode == "E14")
            let image = try await harness.call("GET", "/v1" + (lobby?["coverImage"]?.string ?? ""), key: "gathering")
            #expect(image.status == 200 && image.headers["content-type"] == "image/png")
        }
    }

    @Test(
        "Joining a slug that no API key of this service names is answered with 503"
    )
    func unknown() async throws {
        try await WorkspaceHarness.use { harness in
            for (slugs, status) in [(#""elsewhere""#, 503), (#""lobby","elsewhere""#, 503), ("5", 422)] {
                let answered = try await enter(harness, 1, slugs)
                #expect(answered == status, "\(slugs)")
            }
            let entered = try await lobby(harness)
            #expect(entered == nil)
        }
    }

    @Test("If a user has taken its name, a system workspace gets another name")
    func takenName() async throws {
        try await WorkspaceHarness.use { harness in
            _ = try await harness.sql("delete from workspace")
            try await harness.makeWorkspace("LOBBY", owner: 5)
            try await harness.start()
            #expect(try await enter(harness, 1) == 200)
            #expect(try await lobby(harness)?["name"]?.string == "lobby 2")
        }
    }

    @Test("The configured owner may delete a system workspace, and the next automatic join creates it again")
    func owner() async throws {
        try await WorkspaceHarness.use(["system_owner": "7"]) { harness in
            #expect(try await enter(harness, 1) == 200)
            let lobby = try await lobby(harness)
            let id = lobby?["workspace_id"]?.string ?? ""
            #expect(lobby?["owner_id"]?.string == "7")
            let members = try await harness.call("GET", "/v1/workspaces/\(id)/members", key: "gathering")
            #expect(try harness.texts(members, "user_id") == ["7", "1"])
            let named = try await harness.call("PUT", "/v1/workspaces/\(id)", user: 7, form: Form(image: .png))
            #expect(named.status == 200)
            #expect(try await harness.sql("select count(*) from unused_cover") == "0", "the system's image stays")
            let deleted = try await harness.call("DELETE", "/v1/workspaces/\(id)", user: 7)
            #expect(deleted.status == 200)
            #expect(try await enter(harness, 1) == 200)
            #expect(try await self.lobby(harness)?["owner_id"]?.string == "7")
        }
    }

    @Test("The owner of a channel that lost its owner answers as a member, also once a user owns the workspace")
    func channelWithoutOwner() async throws {
        try await WorkspaceHarness.use { harness in
            #expect(try await enter(harness, 2) == 200)
            let id = Int64(try await harness.sql("select id from workspace where slug = 'lobby'")) ?? 0
            let channel = try await harness.makeChannel("mine", in: id, owner: 2)
            let removed = try await harness.ask(
                "POST", "/internal/workspaces/\(id)/removals", json: #"{"user_id":"2"}"#)
            #expect(removed.status == 200, "\(removed.text)")
            // As `system_owner` does at the next start.
            #expect(try await enter(harness, 7) == 200)
            _ = try await harness.sql(
                """
                begin;
                update workspace set owner = 7 where id = \(id);
                update channel set owner = 7 where workspace = \(id) and is_default;
                commit
                """)
            let path = "/v1/workspaces/\(id)"
            let shown = try await harness.call("GET", "\(path)/channels/\(channel)", user: 7, key: "gathering")
            #expect(try shown.json["owner_id"]?.string == "0")
            let owner = try await harness.call("GET", "\(path)/members/0", user: 7, key: "gathering")
            #expect(try owner.json["user_id"]?.string == "0", "\(owner.text)")
        }
    }

    @Test("Instances start although the configured owner has handed a system workspace over and was banned from it")
    func bannedOwner() async throws {
        try await WorkspaceHarness.use(["system_owner": "7"]) { harness in
            #expect(try await enter(harness, 8) == 200)
            let id = try await lobby(harness, 8)?["workspace_id"]?.string ?? ""
            let transferred = try await harness.call(
                "PUT", "/v1/workspaces/\(id)/transfer/ownership", user: 7, json: #"{"owner_id":"8"}"#)
            #expect(transferred.status == 200, "\(transferred.text)")
            let banned = try await harness.call("PUT", "/v1/workspaces/\(id)/bans/7", user: 8, json: "{}")
            #expect(banned.status == 200, "\(banned.text)")
            try await harness.start()
            #expect(try await lobby(harness, 8)?["owner_id"]?.string == "8")
            #expect(try await harness.sql("select count(*) from member where user_id = 7") == "0")
        }
    }
}
