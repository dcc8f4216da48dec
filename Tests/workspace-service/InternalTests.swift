import Contract
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import workspace_service

@Suite("Internal routes", .serialized)
struct InternalTests {
    @Test("The access route returns the user's role in each visible channel and workspace, and omits all others")
    func access() async throws {
        try await WorkspaceHarness.use { harness in
            let fixture = try await Fixture.make(1, in: harness)[0]
            let (workspace, channel) = (fixture.workspace, fixture.channel)
            func roles(_ user: Int) async throws -> [String] {
                let reply = try await harness.ask(
                    "POST", "/internal/access",
                    json: """
                        {"user_id":"\(user)","channels":["\(channel)","\(channel + 1)","999"],
                        "workspaces":["\(workspace)","998"]}
                        """)
                let json = try reply.json
                return (json["channels"]?.elements.map(Array.init) ?? []).map {
                    "\($0["channel_id"]?.string == "\(channel)" ? "c" : "d") \($0["role"]?.string ?? "")"
                }.sorted() + (json["workspaces"]?.elements.map(Array.init) ?? []).map { $0["role"]?.string ?? "" }
            }
            #expect(try await roles(1) == ["c owner", "d owner", "owner"])
            #expect(try await roles(2) == ["c member", "d member", "member"])
            #expect(try await roles(3) == ["c visible", "d member", "member"])
            for user in [4, 5, 6] { #expect(try await roles(user) == []) }
            let one = try await harness.ask(
                "POST", "/internal/access", json: #"{"user_id":"3","channels":["\#(channel + 1)"]}"#)
            let joinedAt = try await harness.sql(
                "select joined_at from channel_member where channel = \(channel + 1) and user_id = 3")
            #expect(
                one.text
                    == #"{"channels":[{"channel_id":"\#(channel + 1)","workspace_id":"\#(workspace)","name":"일반","#
                    + #""role":"member","default":true,"version":1,"joined_at":\#(joinedAt)}],"workspaces":[]}"#)
            let visible = try await harness.ask(
                "POST", "/internal/access", json: #"{"user_id":"3","channels":["\#(channel)"]}"#)
            #expect(!visible.text.contains("joined_at"))
        }
    }

    @Test("The reply has the owner and the name of a workspace, also after a transfer; a system workspace has no owner")
    func owner() async throws {
        try await WorkspaceHarness.use { harness in
            let fixture = try await Fixture.make(1, in: harness)[0]
            func owner(of workspace: Int64) async throws -> HTTPCall.Reply {
                try await harness.ask("GET", "/internal/workspaces/\(workspace)/owner")
            }
            let first = try await owner(of: Int64(fixture.workspace)).json
            #expect(first["user_id"]?.string == "1" && first["image"]?.string != nil)
            let name = try await harness.sql("select name from workspace where id = \(fixture.workspace)")
            #expect(first["name"]?.string == name)
            let moved = try await harness.call(
                "PUT", "/v1/workspaces/\(fixture.workspace)/transfer/ownership", json: #"{"owner_id":"2"}"#)
            #expect(moved.status == 200, "\(moved.text)")
            #expect(try await owner(of: Int64(fixture.workspace)).json["user_id"]?.string == "2")
            let lobby = try #require(Int64(try await harness.sql("select id from workspace where slug = 'lobby'")))
            #expect(try await owner(of: lobby).json["user_id"] == nil)
            #expect(try await owner(of: 999).errorCode == "E13")
        }
    }

    @Test("A member finds a channel by its name, regardless of case and Unicode composition")
    func byName() async throws {
        try await WorkspaceHarness.use { harness in
            let fixture = try await Fixture.make(1, in: harness)[0]
            func status(_ name: String, _ user: Int) async throws -> Int {
                try await harness.ask(
                    "GET", "/internal/workspaces/\(fixture.workspace)/channels/by-name?name=\(name)&user_id=\(user)"
                ).status
            }
            #expect(try await status("GENERAL", 3) == 200)
            #expect(try await status("%EC%9D%BC%EB%B0%98", 3) == 200)
            #expect(try await status("general", 4) == 404)
            #expect(try await status("other", 3) == 404)
        }
    }

    @Test("Pages of a channel's members list each member exactly once, ordered by id")
    func pages() async throws {
        try await WorkspaceHarness.use { harness in
            let fixture = try await Fixture.make(1, in: harness)[0]
            _ = try await harness.sql(
                """
                begin; insert into member select \(fixture.workspace), u, 1 from generate_series(100, 2599) u;
                insert into channel_member
                    select \(fixture.channel + 1), u, \(fixture.workspace), 1 from generate_series(100, 2599) u; commit
                """)
            var (users, after, calls): ([String], String, Int) = ([], "0", 0)
            while true {
                let page = try await harness.ask(
                    "GET", "/internal/channels/\(fixture.channel + 1)/members?after=\(after)&limit=1000"
                ).json
                users += page["members"]?.elements?.compactMap(\.string) ?? []
                calls += 1
                guard let next = page["next"]?.string else { break }
                after = next
            }
            #expect(calls == 3)
            #expect(users == (["1", "2", "3", "7", "12"] + (100...2599).map { "\($0)" }))
        }
    }

    @Test("A user's channels are listed for one workspace or for all; acquaintances share a workspace")
    func ofUser() async throws {
        try await WorkspaceHarness.use { harness in
            let fixtures = try await Fixture.make(2, in: harness)
            func channels(_ query: String = "", _ user: Int = 3) async throws -> [String] {
                let reply = try await harness.ask("GET", "/internal/users/\(user)/channels\(query)")
                return try harness.texts(reply, "channel_id", in: "channels")
            }
            #expect(try await channels() == fixtures.map { "\($0.channel + 1)" })
            #expect(try await channels("?workspace_id=\(fixtures[1].workspace)") == ["\(fixtures[1].channel + 1)"])
            #expect(try await channels("", 6) == [])
            for (user, roles) in [(3, ["visible", "member"]), (6, [])] {
                let reply = try await harness.ask(
                    "GET", "/internal/workspaces/\(fixtures[1].workspace)/channels?user_id=\(user)")
                #expect(try harness.texts(reply, "role", in: "channels") == roles, "user \(user)")
            }
            let known = try await harness.ask(
                "POST", "/internal/acquaintances", json: #"{"user_id":"3","others":["1","2","3","5","6","7"]}"#)
            #expect(try known.json["ids"]?.elements?.compactMap(\.string).sorted() == ["1", "2", "3", "7"])
        }
    }

    @Test(
        "The channels from which sockets start are those of each user, with the workspaces where the user is no guest")
    func starts() async throws {
        try await WorkspaceHarness.use { harness in
            let fixtures = try await Fixture.make(2, in: harness)
            let (first, second) = (fixtures[0], fixtures[1])
            _ = try await harness.sql(
                "update member set role = 'guest' where workspace = \(first.workspace) and user_id = 3")
            let reply = try await harness.ask("POST", "/internal/starts/channels", json: #"{"ids":["6","3","3"]}"#)
            let read = try #require(StartChannelsReply(try reply.json))
            #expect(read.users.map(\.id) == [UserID(3)])
            let user = try #require(read.users.first)
            #expect(user.channels.map(\.id.rawValue) == fixtures.map { Int64($0.channel) + 1 })
            #expect(user.channels.map(\.workspace.rawValue) == fixtures.map { Int64($0.workspace) })
            #expect(user.whollySeen.map(\.rawValue) == [Int64(second.workspace)])
        }
    }

    @Test("An invalid internal call is refused")
    func badInput() async throws {
        try await WorkspaceHarness.use { harness in
            let fixture = try await Fixture.make(1, in: harness)[0]
            let many = (1...1001).map { "\"\($0)\"" }.joined(separator: ",")
            let calls: [(String, String, String)] = [
                ("POST", "/internal/access", "{"), ("POST", "/internal/access", "{}"),
                ("POST", "/internal/access", #"{"user_id":"1","channels":[\#(many)]}"#),
                ("POST", "/internal/access", #"{"user_id":"1","channels":["x"]}"#),
                ("POST", "/internal/acquaintances", #"{"user_id":"1","others":[\#(many)]}"#),
                ("GET", "/internal/users/1/channels?workspace_id=x", ""),
                ("GET", "/internal/users/1/channels?workspace_id=", ""),
                ("GET", "/internal/workspaces/\(fixture.workspace)/channels", ""),
                ("GET", "/internal/channels/\(fixture.channel)/members?limit=1001", ""),
                ("GET", "/internal/channels/\(fixture.channel)/members?limit=0", ""),
                ("GET", "/internal/channels/\(fixture.channel)/members?after=x", ""),
                ("GET", "/internal/workspaces/\(fixture.workspace)/channels/by-name?user_id=1", ""),
                ("GET", "/internal/workspaces/\(fixture.workspace)/channels/by-name?name=general", ""),
                ("POST", "/internal/channels/\(fixture.channel)/join", "{}"),
                ("POST", "/internal/auto-join", #"{"user_id":"1"}"#),
            ]
            for (method, path, json) in calls {
                let reply = try await harness.ask(method, path, json: json)
                #expect(reply.errorCode == "E11" && reply.status == 422, "\(path) \(json.prefix(40)): \(reply.text)")
            }
            let exactly = (1...1000).map { "\"\($0)\"" }.joined(separator: ",")
            let full = try await harness.ask(
                "POST", "/internal/access",
                json: #"{"user_id":"1","channels":[\#(exactly)],"workspaces":[\#(exactly)]}"#)
            #expect(full.status == 200)
        }
    }
}
