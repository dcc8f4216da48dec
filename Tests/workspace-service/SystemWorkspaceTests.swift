import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import workspace_service

@Suite("Workspaces that an API key enters by itself", .serialized)
struct SystemWorkspaceTests {
    private func enter(_ house: WorkspaceHouse, _ user: Int64, _ slugs: String = #""lobby""#) async throws -> Int {
        try await house.ask(
            "POST", "/internal/auto-join", json: #"{"user_id":"\#(user)","slugs":[\#(slugs)]}"#
        ).status
    }

    private func lobby(_ house: WorkspaceHouse, _ user: Int64 = 1) async throws -> JSONValue? {
        try await house.call("GET", "/v1/workspaces", user: user, key: "gathering").json[0]
    }

    @Test("They are made once, by however many instances that start at once")
    func made() async throws {
        try await WorkspaceHouse.use(instances: 2) { house in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<2 { group.addTask { try await house.start() } }
                try await group.waitForAll()
            }
            let made = try await house.sql(
                "select w.slug, w.name, c.name from workspace w join channel c on c.workspace = w.id and c.is_default")
            #expect(made == "lobby|lobby|일반")
        }
    }

    @Test("Entering makes a member of workspace and default channel, told once, however often and at once")
    func entering() async throws {
        try await WorkspaceHouse.use { house in
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<6 { group.addTask { try await enter(house, 1) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses == Array(repeating: 200, count: 6))
            let lobby = try await lobby(house)
            let id = lobby?["workspace_id"]?.string ?? ""
            let mine = try await house.call("GET", "/v1/workspaces/\(id)/my-channels", key: "gathering")
            #expect(try house.texts(mine, "name") == ["일반"])
            let told = try await FactStream(redis: house.redis).bodies(of: "workspace.member.added", count: 1)
            #expect(told.count == 1)
            // Nobody owns it: an owner is shown whom nobody can be, and nobody may change it.
            #expect(lobby?["owner_id"]?.string == "0")
            let changed = try await house.call(
                "PUT", "/v1/workspaces/\(id)", key: "gathering", json: #"{"name":"mine"}"#)
            #expect(changed.errorCode == "E14")
            let picture = try await house.call("GET", "/v1" + (lobby?["coverImage"]?.string ?? ""), key: "gathering")
            #expect(picture.status == 200 && picture.headers["content-type"] == "image/png")
        }
    }

    @Test(
        "A slug that no key of this service names is nobody's to enter: the other service is told that this one is not ready"
    )
    func unknown() async throws {
        try await WorkspaceHouse.use { house in
            for (slugs, status) in [(#""elsewhere""#, 503), (#""lobby","elsewhere""#, 503), ("5", 422)] {
                let answered = try await enter(house, 1, slugs)
                #expect(answered == status, "\(slugs)")
            }
            let entered = try await lobby(house)
            #expect(entered == nil)
        }
    }

    @Test("Where a user has taken its name it gets another, and is entered all the same")
    func takenName() async throws {
        try await WorkspaceHouse.use { house in
            _ = try await house.sql("delete from workspace")
            try await house.makeWorkspace("LOBBY", owner: 5)
            try await house.start()
            #expect(try await enter(house, 1) == 200)
            #expect(try await lobby(house)?["name"]?.string == "lobby 2")
        }
    }

    @Test("An owner who is set manages it, may delete it, and it is there anew for the next to come")
    func owner() async throws {
        try await WorkspaceHouse.use(["system_owner": "7"]) { house in
            #expect(try await enter(house, 1) == 200)
            let lobby = try await lobby(house)
            let id = lobby?["workspace_id"]?.string ?? ""
            #expect(lobby?["owner_id"]?.string == "7")
            let members = try await house.call("GET", "/v1/workspaces/\(id)/members", key: "gathering")
            #expect(try house.texts(members, "user_id") == ["7", "1"])
            let named = try await house.call("PUT", "/v1/workspaces/\(id)", user: 7, form: Form(image: .png))
            #expect(named.status == 200)
            #expect(try await house.sql("select count(*) from unused_cover") == "0", "the system's picture stays")
            let deleted = try await house.call("DELETE", "/v1/workspaces/\(id)", user: 7)
            #expect(deleted.status == 200)
            #expect(try await enter(house, 1) == 200)
            #expect(try await self.lobby(house)?["owner_id"]?.string == "7")
        }
    }
}
