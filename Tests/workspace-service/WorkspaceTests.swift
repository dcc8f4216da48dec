import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import workspace_service

@Suite("Workspaces", .serialized)
struct WorkspaceTests {
    @Test("Workspaces are listed in the stable order of the client profile")
    func order() async throws {
        try await WorkspaceHarness.use { harness in
            for name in ["a", "b", "c"] { try await harness.makeWorkspace(name) }
            // Created within one millisecond.
            _ = try await harness.sql("update workspace set created_at = 1 where slug is null")
            for _ in 0..<3 {
                let old = try await harness.call("GET", "/v1/workspaces", key: "sooda")
                #expect(try harness.texts(old, "name") == ["a", "b", "c"])
                let new = try await harness.call("GET", "/v1/workspaces", key: "collatalk")
                #expect(try harness.texts(new, "name") == ["c", "b", "a"])
            }
            let others = try await harness.call("GET", "/v1/workspaces", user: 2)
            #expect(others.text == "[]")
        }
    }

    @Test("The detail has all channels, joined or not, and all members, including the caller")
    func detail() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            try await harness.makeChannel("general", in: id)
            try await harness.invite(2, to: id)
            let reply = try await harness.call("GET", "/v1/workspaces/\(id)", user: 2)
            #expect(try harness.texts(reply, "name", in: "channels") == ["일반", "general"])
            #expect(try harness.texts(reply, "user_id", in: "workspaceMembers") == ["1", "2"])
            #expect(try harness.texts(reply, "nickname", in: "workspaceMembers") == ["n1", "n2"])
            let list = try await harness.call("GET", "/v1/workspaces/\(id)/channels", user: 2)
            #expect(try reply.json["channels"]?.text == list.body, "a channel has identical values in every list")
        }
    }

    @Test("Each generation gets its own field names and types for the same workspace")
    func generations() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            let old = try await harness.call("GET", "/v1/workspaces/\(id)", key: "sooda").json
            #expect(old["workspace_id"]?.int == Int(id))
            #expect(old["owner_id"]?.int == 1)
            #expect(old["thumbnail"]?.string?.hasPrefix("/static/workspaces/") == true)
            #expect(old["coverImage"] == nil)
            #expect(old["channels"]?[0]?["private"]?.int == 0)
            #expect(old["channels"]?[0]?["workspace_id"]?.int == Int(id))
            #expect(old["workspaceMembers"]?[0]?["user_id"]?.int == 1)
            let new = try await harness.call("GET", "/v1/workspaces/\(id)", key: "collabee").json
            #expect(new["workspace_id"]?.string == "\(id)")
            #expect(new["coverImage"]?.string == old["thumbnail"]?.string)
            #expect(new["thumbnail"] == nil)
            #expect(new["channels"]?[0]?["private"] == nil)
            #expect(new["createdAt"]?.string == old["createdAt"]?.string)
        }
    }

    @Test("An edit keeps absent values; an empty image part and an empty form change nothing")
    func edit() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            func edit(_ form: Form, key: String = "collatalk") async throws -> JSONValue {
                let reply = try await harness.call("PUT", "/v1/workspaces/\(id)", key: key, form: form)
                #expect(reply.status == 200, "\(reply.text)")
                return try reply.json
            }
            let before = try await edit(Form())
            #expect(before["name"]?.string == "work")
            let named = try await edit(Form(["name": "play"], image: .empty))
            #expect(named["name"]?.string == "play")
            #expect(named["description"]?.string == "about work")
            #expect(named["coverImage"]?.string == before["coverImage"]?.string)
            let described = try await edit(Form(["description": "about play"]))
            #expect(described["name"]?.string == "play")
            #expect(described["description"]?.string == "about play")
            let pictured = try await edit(Form(image: .png))
            #expect(pictured["description"]?.string == "about play")
            #expect(pictured["coverImage"]?.string != before["coverImage"]?.string)
            let unwrapped = try await edit(Form(["description": #"Optional("text")"#]), key: "sooda")
            #expect(unwrapped["description"]?.string == "text")
            let escaped = try await edit(Form(["description": #"Optional("it\'s \"two\"\nlines")"#]), key: "sooda")
            #expect(escaped["description"]?.string == "it's \"two\"\nlines")
            let literal = try await edit(Form(["name": #"Optional("nil")"#]), key: "sooda")
            #expect(literal["name"]?.string == #"Optional("nil")"#)
            let emptied = try await edit(Form(["description": "nil"]), key: "sooda")
            #expect(emptied["description"]?.string == "")
        }
    }

    @Test("A workspace cannot take another's name, but can change the case of its own")
    func editName() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace("work")
            try await harness.makeWorkspace("play")
            let taken = try await harness.call("PUT", "/v1/workspaces/\(id)", form: Form(["name": "PLAY"]))
            #expect(taken.errorCode == "E12")
            let own = try await harness.call("PUT", "/v1/workspaces/\(id)", form: Form(["name": "Work"]))
            #expect(try own.json["name"]?.string == "Work")
        }
    }

    @Test("Deleting a workspace deletes everything in it and publishes a fact")
    func delete() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            let other = try await harness.makeWorkspace("other")
            let channel = try await harness.makeChannel("general", in: id)
            try await harness.invite(2, to: id)
            try await harness.join(2, channel)
            let reply = try await harness.call("DELETE", "/v1/workspaces/\(id)")
            #expect(reply.status == 200)
            #expect(reply.text == "{}")
            for path in ["", "/members", "/channels", "/my-channels", "/channels/\(channel)"] {
                let gone = try await harness.call("GET", "/v1/workspaces/\(id)" + path, user: 2)
                #expect(gone.errorCode == "E13", "\(path)")
            }
            let rows = try await harness.sql(
                """
                select (select count(*) from member where workspace = \(id)),
                    (select count(*) from channel where workspace = \(id)),
                    (select count(*) from channel_member where workspace = \(id)),
                    (select count(*) from channel where workspace = \(other))
                """)
            #expect(rows == "0|0|0|1")
            let facts = try await FactStream(redis: harness.redis).bodies(of: "workspace.deleted", count: 1)
            #expect(facts.map { $0["workspace_id"]?.string } == ["\(id)"])
        }
    }

    @Test(
        "A search finds channels and members by parts of names, regardless of case and composition; an empty keyword finds none"
    )
    func search() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            for name in ["Café", "general", "100%", "회의"] { try await harness.makeChannel(name, in: id) }
            harness.peers.change { $0.nicknames = [2: "José", 3: "한별"] }
            for user in [2, 3, 4] as [Int64] { try await harness.invite(user, to: id) }
            func found(_ keyword: String) async throws -> [[String]] {
                let reply = try await harness.call("GET", "/v1/workspaces/\(id)/search?keyword=\(keyword)", user: 2)
                return [
                    try harness.texts(reply, "name", in: "channels"),
                    try harness.texts(reply, "user_id", in: "workspaceMembers"),
                ]
            }
            #expect(try await found("cafe%CC%81") == [["Café"], []])
            #expect(try await found("GENER") == [["general"], []])
            #expect(try await found("%25") == [["100%"], []])
            #expect(try await found("jos%C3%89") == [[], ["2"]])
            #expect(try await found("3@example") == [[], ["3"]])
            #expect(try await found("%ED%95%9C%EB%B3%84") == [[], ["3"]])
            #expect(try await found("_") == [[], []])
            #expect(try await found("") == [[], []])
            let none = try await harness.call("GET", "/v1/workspaces/\(id)/search", user: 2)
            #expect(try harness.texts(none, "name", in: "channels") == [])
        }
    }
}
