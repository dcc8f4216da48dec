import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import workspace_service

@Suite("Workspaces", .serialized)
struct WorkspaceTests {
    @Test("Workspaces are listed oldest first for one app and newest first for the others, always alike")
    func order() async throws {
        try await WorkspaceHouse.use { house in
            for name in ["a", "b", "c"] { try await house.makeWorkspace(name) }
            // Made within the same millisecond.
            _ = try await house.sql("update workspace set created_at = 1 where slug is null")
            for _ in 0..<3 {
                let old = try await house.call("GET", "/v1/workspaces", key: "sooda")
                #expect(try house.texts(old, "name") == ["a", "b", "c"])
                let new = try await house.call("GET", "/v1/workspaces", key: "collatalk")
                #expect(try house.texts(new, "name") == ["c", "b", "a"])
            }
            let others = try await house.call("GET", "/v1/workspaces", user: 2)
            #expect(others.text == "[]")
        }
    }

    @Test("The detail has all channels, the caller in them or not, and all members, the caller included")
    func detail() async throws {
        try await WorkspaceHouse.use { house in
            let id = try await house.makeWorkspace()
            try await house.makeChannel("general", in: id)
            try await house.invite(2, to: id)
            let reply = try await house.call("GET", "/v1/workspaces/\(id)", user: 2)
            #expect(try house.texts(reply, "name", in: "channels") == ["일반", "general"])
            #expect(try house.texts(reply, "user_id", in: "workspaceMembers") == ["1", "2"])
            #expect(try house.texts(reply, "nickname", in: "workspaceMembers") == ["n1", "n2"])
            let list = try await house.call("GET", "/v1/workspaces/\(id)/channels", user: 2)
            #expect(try reply.json["channels"]?.text == list.body, "a channel has identical values in every list")
        }
    }

    @Test("Each generation gets its own names and types of the same workspace")
    func generations() async throws {
        try await WorkspaceHouse.use { house in
            let id = try await house.makeWorkspace()
            let old = try await house.call("GET", "/v1/workspaces/\(id)", key: "sooda").json
            #expect(old["workspace_id"]?.int == Int(id))
            #expect(old["owner_id"]?.int == 1)
            #expect(old["thumbnail"]?.string?.hasPrefix("/static/workspaces/") == true)
            #expect(old["coverImage"] == nil)
            #expect(old["channels"]?[0]?["private"]?.int == 0)
            #expect(old["channels"]?[0]?["workspace_id"]?.int == Int(id))
            #expect(old["workspaceMembers"]?[0]?["user_id"]?.int == 1)
            let new = try await house.call("GET", "/v1/workspaces/\(id)", key: "collabee").json
            #expect(new["workspace_id"]?.string == "\(id)")
            #expect(new["coverImage"]?.string == old["thumbnail"]?.string)
            #expect(new["thumbnail"] == nil)
            #expect(new["channels"]?[0]?["private"] == nil)
            #expect(new["createdAt"]?.string == old["createdAt"]?.string)
        }
    }

    @Test("An edit changes what it brings and leaves what is absent, an empty picture and an empty form included")
    func edit() async throws {
        try await WorkspaceHouse.use { house in
            let id = try await house.makeWorkspace()
            func edit(_ form: Form, key: String = "collatalk") async throws -> JSONValue {
                let reply = try await house.call("PUT", "/v1/workspaces/\(id)", key: key, form: form)
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

    @Test("A name that is taken cannot be edited to, but one's own can be written otherwise")
    func editName() async throws {
        try await WorkspaceHouse.use { house in
            let id = try await house.makeWorkspace("work")
            try await house.makeWorkspace("play")
            let taken = try await house.call("PUT", "/v1/workspaces/\(id)", form: Form(["name": "PLAY"]))
            #expect(taken.errorCode == "E12")
            let own = try await house.call("PUT", "/v1/workspaces/\(id)", form: Form(["name": "Work"]))
            #expect(try own.json["name"]?.string == "Work")
        }
    }

    @Test("A deleted workspace is gone for everybody, with all that was in it, and its deletion is told")
    func delete() async throws {
        try await WorkspaceHouse.use { house in
            let id = try await house.makeWorkspace()
            let other = try await house.makeWorkspace("other")
            let channel = try await house.makeChannel("general", in: id)
            try await house.invite(2, to: id)
            try await house.join(2, channel)
            let reply = try await house.call("DELETE", "/v1/workspaces/\(id)")
            #expect(reply.status == 200)
            #expect(reply.text == "{}")
            for path in ["", "/members", "/channels", "/my-channels", "/channels/\(channel)"] {
                let gone = try await house.call("GET", "/v1/workspaces/\(id)" + path, user: 2)
                #expect(gone.errorCode == "E13", "\(path)")
            }
            let rows = try await house.sql(
                """
                select (select count(*) from member where workspace = \(id)),
                    (select count(*) from channel where workspace = \(id)),
                    (select count(*) from channel_member where workspace = \(id)),
                    (select count(*) from channel where workspace = \(other))
                """)
            #expect(rows == "0|0|0|1")
            let told = try await FactStream(redis: house.redis).bodies(of: "workspace.deleted", count: 1)
            #expect(told.map { $0["workspace_id"]?.string } == ["\(id)"])
        }
    }

    @Test(
        "A search finds channels and members by parts of their names, whatever case and composition, and nothing by nothing"
    )
    func search() async throws {
        try await WorkspaceHouse.use { house in
            let id = try await house.makeWorkspace()
            for name in ["Café", "general", "100%", "회의"] { try await house.makeChannel(name, in: id) }
            house.peers.change { $0.nicknames = [2: "José", 3: "한별"] }
            for user in [2, 3, 4] as [Int64] { try await house.invite(user, to: id) }
            func found(_ keyword: String) async throws -> [[String]] {
                let reply = try await house.call("GET", "/v1/workspaces/\(id)/search?keyword=\(keyword)", user: 2)
                return [
                    try house.texts(reply, "name", in: "channels"),
                    try house.texts(reply, "user_id", in: "workspaceMembers"),
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
            let none = try await house.call("GET", "/v1/workspaces/\(id)/search", user: 2)
            #expect(try house.texts(none, "name", in: "channels") == [])
        }
    }
}
