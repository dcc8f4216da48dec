import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Changes of messages", .serialized)
struct ChangeTests {
    private static let chats = "/v1/workspaces/3/channels/7/chats"
    private static let thumb = "%F0%9F%91%8D"

    private static func edit(
        _ chat: ChatHarness, _ seq: Int, _ text: String, user: Int64 = 1, on instance: Int = 0
    ) async throws -> HTTPCall.Reply {
        try await chat.call("PUT", "\(chats)/\(seq)", user: user, json: #"{"content":"\#(text)"}"#, on: instance)
    }

    private static func list(_ json: JSONValue?) -> [JSONValue] { json?.elements?.map { $0 } ?? [] }

    private static func revision(_ chat: ChatHarness) async throws -> String {
        try await chat.database.ask("select rev from chat.room where kind = 1 and id = 7")
    }

    @Test("An edit replaces the text for all clients, keeps the earlier one for its author, and marks the message")
    func edits() async throws {
        try await ChatHarness.use { chat in
            _ = try await chat.send("one")
            let reply = try await Self.edit(chat, 1, "two")
            #expect(reply.status == 200, "\(reply.text)")
            #expect(try reply.json["content"]?.string == "two")
            #expect(try reply.json["rev"]?.int == 1)
            #expect(try reply.json["editedAt"]?.string != nil)
            let native = try await chat.history(user: 2)
            #expect(native.first?["content"]?.string == "two")
            #expect(native.first?["rev"]?.int == 1)
            let shipped = try await chat.history(user: 2, key: "collatalk")
            #expect(shipped.first?["content"]?.string == "two")
            #expect(shipped.first?["rev"] == nil)
            #expect(shipped.first?["reactions"] == nil)
            let versions = try await chat.call("GET", "\(Self.chats)/1/versions")
            #expect(try versions.json["items"]?.elements?.map { $0["content"]?.string } == ["one"])
            let others = try await chat.call("GET", "\(Self.chats)/1/versions", user: 2)
            #expect(others.errorCode == "E14")
            let foreign = try await Self.edit(chat, 1, "three", user: 2)
            #expect(foreign.errorCode == "E14")
            #expect(foreign.status == 403)
        }
    }

    @Test("A deletion erases text, files, earlier texts, reactions and pins, and leaves a tombstone")
    func deletion() async throws {
        try await ChatHarness.use { chat in
            let sent = try await chat.upload([.png])
            let path = try #require(try sent.json["files"]?[0]?.string)
            _ = try await Self.edit(chat, 1, "secret")
            _ = try await chat.call("PUT", "\(Self.chats)/1/reactions/\(Self.thumb)", user: 2)
            _ = try await chat.call("PUT", "\(Self.chats)/1/pin", user: 2)
            _ = try await chat.call("PUT", "\(Self.chats)/1/saved", user: 2)
            let refused = try await chat.call("DELETE", "\(Self.chats)/1", user: 2)
            #expect(refused.errorCode == "E14")
            let reply = try await chat.call("DELETE", "\(Self.chats)/1")
            #expect(reply.status == 200, "\(reply.text)")
            #expect(try reply.json["content"]?.string == "")
            #expect(try reply.json["deletedAt"]?.string != nil)
            #expect(try Self.list(reply.json["files"]).isEmpty)
            #expect(try Self.list(reply.json["reactions"]).isEmpty)
            let file = try await chat.call("GET", "/v1" + path)
            #expect(file.errorCode == "E13")
            #expect(chat.storedFiles.isEmpty)
            let rest = try await chat.database.ask(
                """
                select (select count(*) from chat.message_version), (select count(*) from chat.reaction),
                    (select count(*) from chat.pin), (select count(*) from chat.saved_message),
                    (select count(*) from chat.file), (select content from chat.message)
                """)
            #expect(rest == "0|0|0|0|0|")
            for key in ["collatalk", "gen-2024-07"] {
                let shipped = try await chat.history(key: key)
                #expect(shipped.first?["content"]?.string == "삭제된 메시지입니다.")
                let files = shipped.first?["files"]
                #expect(Self.list(files).isEmpty)
            }
            for (method, path) in [
                ("DELETE", ""), ("PUT", "/pin"), ("PUT", "/reactions/\(Self.thumb)"), ("PUT", "/saved"),
                ("GET", "/versions"),
            ] {
                let again = try await chat.call(method, "\(Self.chats)/1\(path)")
                #expect(again.errorCode == "E13", "\(method) \(path)")
            }
            let edited = try await Self.edit(chat, 1, "back")
            #expect(edited.errorCode == "E13")
        }
    }

    @Test("A repeated send returns an edited message as it is now, and a deleted one as a tombstone")
    func repeats() async throws {
        try await ChatHarness.use { chat in
            _ = try await chat.send("one", clientID: "x")
            _ = try await Self.edit(chat, 1, "two")
            let again = try await chat.send("one", clientID: "x")
            #expect(try again.json["content"]?.string == "two")
            _ = try await chat.call("DELETE", "\(Self.chats)/1")
            let last = try await chat.send("one", clientID: "x")
            #expect(try last.json["seq"]?.int == 1)
            #expect(try last.json["content"]?.string == "")
        }
    }

    @Test("Reactions of many users at once are counted right, by few commits and few events")
    func reactions() async throws {
        try await ChatHarness.use { chat in
            let users = Array(1...60 as ClosedRange<Int64>)
            chat.peers.change { state in
                state.workspaces[3] = Set(users)
                state.channels[7]?.members = Set(users)
            }
            _ = try await chat.send("announcement")
            try await chat.untilPublished()
            let listener = try RoomEventListener(chat.redis)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for user in users {
                    group.addTask {
                        let reply = try await chat.call("PUT", "\(Self.chats)/1/reactions/\(Self.thumb)", user: user)
                        #expect(reply.status == 200, "\(reply.text)")
                    }
                }
                try await group.waitForAll()
            }
            let rev = try await Self.revision(chat)
            #expect((1...60).contains(Int(rev) ?? 0))
            let events = try await listener.events { $0.last?["rev"]?.int.map(String.init) == rev }
            #expect(events.allSatisfy { $0["type"]?.string == "changed" })
            let accounted = events.flatMap { $0["revs"]?.elements?.compactMap(\.int) ?? [] }
            #expect(Set(accounted) == Set(1...(Int(rev) ?? 0)))
            #expect(events.last?["reactions"]?[0]?["count"]?.int == 60)
            let one = try await chat.call("GET", "\(Self.chats)/1", user: 7)
            let reaction = try one.json["reactions"]?[0]
            #expect(reaction?["emoji"]?.string == "👍")
            #expect(reaction?["count"]?.int == 60)
            let shown = reaction?["users"]
            #expect(Self.list(shown).count == 20)
            #expect(reaction?["mine"]?.bool == true)
            let gone = try await chat.call("DELETE", "\(Self.chats)/1/reactions/\(Self.thumb)", user: 7)
            #expect(try gone.json["reactions"]?[0]?["count"]?.int == 59)
            #expect(try gone.json["reactions"]?[0]?["mine"]?.bool == false)
        }
    }

    @Test("A change is acknowledged after its commit, and every revision is published, from several instances")
    func acknowledged() async throws {
        try await ChatHarness.use(instances: 2) { chat in
            for number in 1...5 { _ = try await chat.send("\(number)") }
            let listener = try RoomEventListener(chat.redis)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for turn in 0..<40 {
                    group.addTask {
                        let reply = try await Self.edit(chat, turn % 5 + 1, "edit \(turn)", on: turn % 2)
                        let rev = try reply.json["rev"]?.int ?? 0
                        let stored = try await Self.revision(chat)
                        #expect(rev > 0 && rev <= Int(stored) ?? 0)
                    }
                }
                try await group.waitForAll()
            }
            let rev = Int(try await Self.revision(chat)) ?? 0
            let all = Set(1...rev)
            _ = try await listener.events { events in
                Set(events.flatMap { $0["revs"]?.elements?.compactMap(\.int) ?? [] }) == all
            }
            try await chat.untilPublished()
        }
    }

    @Test(
        "Changes after a revision are each changed message once, as it is now, in pages that say whether they are all")
    func changes() async throws {
        try await ChatHarness.use { chat in
            for number in 1...4 { _ = try await chat.send("\(number)") }
            for seq in [3, 1, 3, 2] { _ = try await Self.edit(chat, seq, "\(seq) at \(seq)") }
            _ = try await chat.call("DELETE", "\(Self.chats)/1")
            func page(_ query: String) async throws -> (seqs: [Int?], rev: Int?, isComplete: Bool?) {
                let json = try await chat.call("GET", "/v1/workspaces/3/channels/7/changes\(query)", user: 2).json
                return (json["items"]?.elements?.map { $0["seq"]?.int } ?? [], json["rev"]?.int, json["complete"]?.bool)
            }
            // The second edit of 3 changed nothing.
            #expect(try await page("") == ([3, 2, 1], 4, true))
            #expect(try await page("?after_rev=1&limit=1") == ([2], 3, false))
            #expect(try await page("?after_rev=3") == ([1], 4, true))
            #expect(try await page("?after_rev=4") == ([], 4, true))
            #expect(try await page("?after_rev=99") == ([], 4, true))
            let rooms = try await chat.call("GET", "/v1/workspaces/3/rooms").json.elements
            #expect(rooms?.first { $0["name"]?.string == "general" }?["rev"]?.int == 4)
        }
    }

    @Test("Pins are listed newest first in pages, and bookmarks only while the room may be read")
    func pinsAndBookmarks() async throws {
        try await ChatHarness.use(["room_pins": "3"]) { chat in
            for number in 1...4 { _ = try await chat.send("\(number)") }
            for seq in [2, 1, 3] {
                let reply = try await chat.call("PUT", "\(Self.chats)/\(seq)/pin", user: 2)
                #expect(try reply.json["pinnedBy"]?.string == "2")
                _ = try await chat.call("PUT", "\(Self.chats)/\(seq)/saved", user: 2)
            }
            let full = try await chat.call("PUT", "\(Self.chats)/4/pin")
            #expect(full.errorCode == "E11")
            let first = try await chat.call("GET", "/v1/workspaces/3/channels/7/pins?limit=2").json
            #expect(first["items"]?.elements?.map { $0["seq"]?.int } == [3, 1])
            let cursor = try #require(first["next"]?.string)
            let second = try await chat.call("GET", "/v1/workspaces/3/channels/7/pins?limit=2&cursor=\(cursor)").json
            #expect(second["items"]?.elements?.map { $0["seq"]?.int } == [2])
            #expect(second["next"]?.kind == .null)
            let saved = try await chat.call("GET", "/v1/users/me/saved", user: 2).json
            #expect(saved["items"]?.elements?.map { $0["message"]?["seq"]?.int } == [3, 1, 2])
            #expect(saved["items"]?[0]?["room"]?.string == "channel-7")
            _ = try await chat.call("DELETE", "\(Self.chats)/3/saved", user: 2)
            _ = try await chat.call("DELETE", "\(Self.chats)/3/pin")
            let left = try await chat.call("GET", "/v1/users/me/saved", user: 2).json
            #expect(Self.list(left["items"]).count == 2)
            chat.peers.change { $0.channels[7]?.members = [1] }
            try await chat.redis.command(
                "PUBLISH", "invalidate:access", #"{"workspace_id":"3","channel_id":"7","user_id":"2"}"#)
            try await eventually("the removal") {
                let rest = try await chat.call("GET", "/v1/users/me/saved", user: 2).json
                return Self.list(rest["items"]).isEmpty
            }
        }
    }
}
