import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import workspace_service

@Suite("Removing members", .serialized)
struct RemovalTests {
    @Test("The owner removes a member, and the member's channels pass to the owner of the workspace")
    func fromWorkspace() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            try await harness.invite(2, to: id)
            let channel = try await harness.makeChannel("general", in: id, owner: 2)
            let joined = try await harness.makeChannel("news", in: id)
            try await harness.join(2, joined)
            let path = "/v1/workspaces/\(id)/members/2"

            for (user, code) in [(2, "E14"), (3, "E13")] as [(Int64, String)] {
                let refused = try await harness.call("DELETE", path, user: user)
                #expect(refused.errorCode == code)
            }
            let reply = try await harness.call("DELETE", path)
            #expect(reply.status == 200 && reply.text == "{}")

            let left = try await harness.sql(
                "select (select count(*) from member where user_id = 2), (select count(*) from channel_member where user_id = 2)"
            )
            #expect(left == "0|0")
            let detail = try await harness.call("GET", "/v1/workspaces/\(id)/channels/\(channel)")
            #expect(try detail.json["owner_id"]?.string == "1")
            #expect(try harness.texts(detail, "user_id", in: "channelMembers") == ["1"])
            let gone = try await harness.call("GET", "/v1/workspaces/\(id)", user: 2)
            #expect(gone.errorCode == "E13")
            let again = try await harness.call("DELETE", path)
            #expect(again.errorCode == "E13")

            let facts = FactStream(redis: harness.redis)
            let removals = try await facts.bodies(of: "workspace.member.removed", count: 1)
            #expect(removals.map { $0["user_id"]?.string } == ["2"])
            let entered = try await facts.bodies(of: "channel.member.added", count: 4)
            #expect(entered.last?["user_id"]?.string == "1" && entered.last?["channel_id"]?.string == "\(channel)")
            let changes = try await facts.bodies(of: "channel.changed", count: 1)
            #expect(changes.map { $0["channel_id"]?.string } == ["\(channel)"])
        }
    }

    @Test("Clients hear of the next owners of the channels and the workspace of a removed, banned or deleted owner")
    func nextOwners() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            for user in 2...4 as ClosedRange<Int64> { try await harness.invite(user, to: id) }
            let one = try await harness.makeChannel("one", in: id, owner: 2)
            let two = try await harness.makeChannel("two", in: id, owner: 3)
            let hints = try RawConnection(port: harness.redis.port)
            try hints.send("SUBSCRIBE directory\r\nPING\r\n")
            func hear(until mark: String) async throws -> String {
                try await onOwnThread { Result { try hints.receive(until: mark) } }.get()
            }
            _ = try await hear(until: "pong\r\n$0\r\n\r\n")
            let removed = try await harness.call("DELETE", "/v1/workspaces/\(id)/members/2")
            #expect(removed.status == 200, "\(removed.text)")
            _ = try await hear(until: #""channel_id":"\#(one)","name":"one","owner_id":"1","#)
            let banned = try await harness.call("PUT", "/v1/workspaces/\(id)/bans/3", json: "{}")
            #expect(banned.status == 200, "\(banned.text)")
            _ = try await hear(until: #""channel_id":"\#(two)","name":"two","owner_id":"1","#)
            try await harness.redis.command(
                "XADD", "facts:auth", "*", "id", "1", "type", "user.deleted", "body",
                #"{"user_id":"1","round":1,"messages":false}"#)
            let heard = try await hear(until: #""owner_id":"4","#)
            #expect(heard.contains(#""subject":"workspace","name":"work""#))
            _ = try await hear(until: #""channel_id":"\#(one)","name":"one","owner_id":"4","#)
        }
    }

    @Test("A18: after a report a member is removed as by the owner, once, and the owner never")
    func afterReport() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            for user in [2, 3] as [Int64] { try await harness.invite(user, to: id) }
            func remove(_ user: Int64, by owner: String = "") async throws -> HTTPCall.Reply {
                try await harness.ask(
                    "POST", "/internal/workspaces/\(id)/removals", json: #"{"user_id":"\#(user)"\#(owner)}"#)
            }
            for _ in 1...2 { #expect(try await remove(2, by: #","by":"1""#).status == 200) }
            #expect(try await remove(3, by: #","by":"2""#).status != 200)
            #expect(try await remove(3).status == 200)
            #expect(try await remove(1).status != 200)
            let left = try await harness.sql(
                "select string_agg(user_id::text, ',') from member where workspace = \(id)")
            #expect(left == "1")
            let facts = FactStream(redis: harness.redis)
            let removals = try await facts.bodies(of: "workspace.member.removed", count: 2)
            #expect(removals.map { $0["user_id"]?.string } == ["2", "3"])
        }
    }

    @Test("A18: an operator's removal from a system workspace that nobody owns outlives the next sign-in")
    func fromSystemWorkspace() async throws {
        try await WorkspaceHarness.use { harness in
            func enter() async throws {
                let json = #"{"user_id":"2","slugs":["lobby"]}"#
                #expect(try await harness.ask("POST", "/internal/auto-join", json: json).status == 200)
            }
            try await enter()
            let id = try #require(Int64(try await harness.sql("select id from workspace where slug = 'lobby'")))
            let channel = try await harness.makeChannel("mine", in: id, owner: 2)
            for _ in 1...2 {
                let path = "/internal/workspaces/\(id)/removals"
                #expect(try await harness.ask("POST", path, json: #"{"user_id":"2"}"#).status == 200)
                try await enter()
                #expect(try await harness.sql("select count(*) from member where user_id = 2") == "0")
            }
            #expect(try await harness.sql("select owner is null from channel where id = \(channel)") == "t")
            let log = try await harness.sql(
                "select string_agg(action, ',' order by id) from audit.entry where workspace = \(id) and user_id = 2")
            #expect(log == "member.removed,member.banned")
            let facts = FactStream(redis: harness.redis)
            let removals = try await facts.bodies(of: "workspace.member.removed", count: 1)
            #expect(removals.map { $0["user_id"]?.string } == ["2"])
        }
    }

    @Test("The owner of a workspace cannot be removed")
    func owner() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            try await harness.invite(2, to: id)
            let oneself = try await harness.call("DELETE", "/v1/workspaces/\(id)/members/1")
            #expect(oneself.errorCode == "E15" && oneself.status == 409)
            let other = try await harness.call("DELETE", "/v1/workspaces/\(id)/members/1", user: 2)
            #expect(other.errorCode == "E14")
        }
    }

    @Test("The owners of a channel and of its workspace remove a member of the channel, except its owner")
    func fromChannel() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            for user in 2...4 as ClosedRange<Int64> { try await harness.invite(user, to: id) }
            let channel = try await harness.makeChannel("general", in: id, owner: 2)
            for user in [3, 4] as [Int64] { try await harness.join(user, channel) }
            func remove(_ member: Int64, by user: Int64, from channel: Int64) async throws -> String {
                let reply = try await harness.call(
                    "DELETE", "/v1/workspaces/\(id)/channels/\(channel)/members/\(member)", user: user)
                return reply.status == 200 ? "ok" : reply.errorCode
            }

            #expect(try await remove(4, by: 3, from: channel) == "E14")
            #expect(try await remove(4, by: 5, from: channel) == "E13")
            #expect(try await remove(3, by: 2, from: channel) == "ok")
            #expect(try await remove(3, by: 2, from: channel) == "E13")
            // The workspace's owner is not in the channel.
            #expect(try await remove(4, by: 1, from: channel) == "ok")
            #expect(try await remove(2, by: 1, from: channel) == "E15")
            #expect(try await remove(2, by: 2, from: channel) == "E15")
            let standard = try await harness.sql("select id from channel where workspace = \(id) and is_default")
            #expect(try await remove(3, by: 1, from: Int64(standard) ?? 0) == "E11")

            let facts = try await FactStream(redis: harness.redis).bodies(of: "channel.member.removed", count: 2)
            #expect(facts.map { $0["user_id"]?.string } == ["3", "4"])
            // A removed member is still in the workspace, and may join the channel again.
            try await harness.join(3, channel)
        }
    }
}
