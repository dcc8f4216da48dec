import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import workspace_service

@Suite("Channels", .serialized)
struct ChannelTests {
    @Test("A channel's name is unique within its workspace, regardless of case and Unicode composition")
    func names() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            let other = try await harness.makeWorkspace("other")
            try await harness.makeChannel("Café", in: id)
            for name in ["Café", "CAFÉ", "cafe\u{301}", "일반", "\u{110B}\u{1175}\u{11AF}\u{1107}\u{1161}\u{11AB}"] {
                let reply = try await harness.call(
                    "POST", "/v1/workspaces/\(id)/channels", json: #"{"name":"\#(name)"}"#)
                #expect(reply.errorCode == "E12", "\(name)")
            }
            try await harness.makeChannel("café", in: other)
            for name in ["", " ", "my", "..", "a/b", String(repeating: "a", count: 31)] {
                let reply = try await harness.call(
                    "POST", "/v1/workspaces/\(id)/channels", json: #"{"name":"\#(name)"}"#)
                #expect(reply.errorCode == "E11", "\(name)")
            }
        }
    }

    @Test(
        "The first generation finds a channel by its percent-encoded name, regardless of case and Unicode composition")
    func byName() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            let channel = try await harness.makeChannel("Café 1", in: id)
            for name in ["Caf%C3%A9%201", "cafe%CC%81%201", "CAF%C3%89%201"] {
                let reply = try await harness.call("GET", "/v1/workspaces/\(id)/channels/\(name)", key: "sooda")
                #expect(try reply.json["channel_id"]?.int == Int(channel), "\(name)")
            }
            for name in ["cafe%201", "%FF", "%00", "Caf%C3%A9+1"] {
                let reply = try await harness.call("GET", "/v1/workspaces/\(id)/channels/\(name)", key: "sooda")
                #expect(["E11", "E13"].contains(reply.errorCode), "\(name)")
            }
            let ofOther = try await harness.makeWorkspace("other")
            let reply = try await harness.call("GET", "/v1/workspaces/\(ofOther)/channels/\(channel)")
            #expect(reply.errorCode == "E13", "a channel of another workspace")
        }
    }

    @Test("Channel detail does not join; the internal join route does, and is idempotent")
    func joining() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            let channel = try await harness.makeChannel("general", in: id)
            try await harness.invite(2, to: id)
            let path = "/v1/workspaces/\(id)/channels/\(channel)"
            let looked = try await harness.call("GET", path, user: 2)
            #expect(try harness.texts(looked, "user_id", in: "channelMembers") == ["1"])
            for _ in 0..<3 { try await harness.join(2, channel) }
            let members = try await harness.call("GET", path + "/members", user: 2)
            #expect(try harness.texts(members, "user_id") == ["1", "2"])
            let stranger = try await harness.ask(
                "POST", "/internal/channels/\(channel)/join", json: #"{"user_id":"9"}"#)
            #expect(stranger.status == 404)
            let facts = try await harness.sql(
                "select count(*) from outbox where type = 'channel.member.added' and body like '%\"user_id\":\"2\"%'")
            #expect(facts == "1")
        }
    }

    @Test("My channels are those that I am a member of, oldest first; the full list has all")
    func lists() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            try await harness.makeChannel("b", in: id)
            try await harness.makeChannel("a", in: id)
            try await harness.invite(2, to: id)
            let all = try await harness.call("GET", "/v1/workspaces/\(id)/channels", user: 2, key: "sooda")
            #expect(try harness.texts(all, "name") == ["일반", "b", "a"])
            let mine = try await harness.call("GET", "/v1/workspaces/\(id)/channels/my", user: 2, key: "sooda")
            #expect(try harness.texts(mine, "name") == ["일반"])
            let owners = try await harness.call("GET", "/v1/workspaces/\(id)/my-channels", key: "collabee")
            #expect(try harness.texts(owners, "name") == ["일반", "b", "a"])
        }
    }

    @Test("Channels are created and edited by JSON and by form; an edit keeps absent values")
    func edit() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            let made = try await harness.call(
                "POST", "/v1/workspaces/\(id)/channels", key: "gathering",
                form: Form(["name": "general", "description": "talk"], image: .png))
            #expect(made.status == 200)
            let channel = try made.json["channel_id"]?.string ?? ""
            let image = try made.json["coverImage"]?.string
            #expect(image?.hasPrefix("/static/channels/") == true)
            let path = "/v1/workspaces/\(id)/channels/\(channel)"
            let renamed = try await harness.call("PUT", path, json: #"{"name":"chatter"}"#).json
            #expect(renamed["name"]?.string == "chatter")
            #expect(renamed["description"]?.string == "talk")
            #expect(renamed["coverImage"]?.string == image)
            let described = try await harness.call("PUT", path, form: Form(["description": ""], image: .empty)).json
            #expect(described["description"]?.string == "")
            #expect(described["coverImage"]?.string == image)
            let taken = try await harness.call("PUT", path, json: #"{"name":"일반"}"#)
            #expect(taken.errorCode == "E12")
            let facts = try await FactStream(redis: harness.redis).bodies(of: "channel.changed", count: 2)
            #expect(facts.map { $0["name"]?.string } == ["chatter", "chatter"])
            let versions = facts.compactMap { $0["version"]?.int }
            #expect(versions == versions.sorted() && Set(versions).count == 2)
        }
    }

    @Test("The default channel cannot be left, deleted or transferred")
    func defaultChannel() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            try await harness.invite(2, to: id)
            let path = "/v1/workspaces/\(id)/channels/%EC%9D%BC%EB%B0%98"
            let codes = [
                try await harness.call("GET", path + "/leave", user: 2, key: "sooda"),
                try await harness.call("GET", path + "/leave", user: 1, key: "sooda"),
                try await harness.call("DELETE", path, key: "sooda"),
                try await harness.call("PUT", path + "/change/admin/2", key: "sooda", json: "{}"),
            ].map(\.errorCode)
            #expect(codes == ["E11", "E11", "E11", "E11"])
        }
    }

    @Test("Leaving a channel returns the remaining ones; its owner must transfer it first")
    func leave() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            let channel = try await harness.makeChannel("general", in: id)
            try await harness.invite(2, to: id)
            let path = "/v1/workspaces/\(id)/channels/\(channel)"
            let outside = try await harness.call("GET", path + "/exit", user: 2)
            #expect(outside.errorCode == "E13")
            try await harness.join(2, channel)
            let owner = try await harness.call("DELETE", path + "/exit")
            #expect(owner.errorCode == "E15")
            let outsideOwner = try await harness.call(
                "PUT", path + "/transfer/ownership", json: #"{"owner_id":"3"}"#)
            #expect(outsideOwner.errorCode == "E13")
            let handedOver = try await harness.call("PUT", path + "/transfer/ownership", json: #"{"owner_id":2}"#)
            #expect(try handedOver.json["owner_id"]?.string == "2")
            let left = try await harness.call("DELETE", path + "/exit")
            #expect(try harness.texts(left, "name") == ["일반"])
            let facts = try await FactStream(redis: harness.redis).bodies(of: "channel.member.removed", count: 1)
            #expect(facts.map { $0["user_id"]?.string } == ["1"])
        }
    }

    @Test("The owner of a workspace may delete its members' channels, and other members may not")
    func deleteOthers() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            for user in [2, 3] as [Int64] { try await harness.invite(user, to: id) }
            let channel = try await harness.makeChannel("theirs", in: id, owner: 2)
            let path = "/v1/workspaces/\(id)/channels/\(channel)"
            try await harness.join(3, channel)
            let refused = try await harness.call("DELETE", path, user: 3)
            #expect(refused.errorCode == "E14")
            let deleted = try await harness.call("DELETE", path, user: 1)
            #expect(deleted.status == 200, "\(deleted.text)")
            let gone = try await harness.call("GET", path, user: 2)
            #expect(gone.errorCode == "E13")
        }
    }

    @Test("A workspace and an owner have limited numbers of channels")
    func limits() async throws {
        try await WorkspaceHarness.use(["workspace_channels": "5", "user_channels": "2"]) { harness in
            let id = try await harness.makeWorkspace()
            for user in [2, 3] as [Int64] { try await harness.invite(user, to: id) }
            func create(_ name: String, _ user: Int64) async throws -> String {
                let reply = try await harness.call(
                    "POST", "/v1/workspaces/\(id)/channels", user: user, json: #"{"name":"\#(name)"}"#)
                return reply.status == 201 ? "ok" : reply.errorCode
            }
            #expect(try await create("a", 2) == "ok")
            #expect(try await create("b", 2) == "ok")
            #expect(try await create("c", 2) == "E11", "the limit of an owner")
            // The default channel does not count for its owner.
            #expect(try await create("c", 1) == "ok")
            #expect(try await create("d", 1) == "ok")
            #expect(try await create("e", 3) == "E11", "the limit of a workspace")
            let deleted = try await harness.call("DELETE", "/v1/workspaces/\(id)/channels/a", user: 2, key: "sooda")
            #expect(deleted.status == 200)
            #expect(try await create("e", 3) == "ok")
        }
    }

    @Test("Deleting a channel publishes a fact and frees its name")
    func delete() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            let channel = try await harness.makeChannel("general", in: id)
            let reply = try await harness.call("DELETE", "/v1/workspaces/\(id)/channels/general", key: "sooda")
            #expect(reply.text == "{}")
            let gone = try await harness.call("GET", "/v1/workspaces/\(id)/channels/\(channel)")
            #expect(gone.errorCode == "E13")
            let facts = try await FactStream(redis: harness.redis).bodies(of: "channel.deleted", count: 1)
            #expect(facts.map { $0["channel_id"]?.string } == ["\(channel)"])
            try await harness.makeChannel("general", in: id)
        }
    }
}
