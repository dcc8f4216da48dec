import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Threads", .serialized)
struct ThreadTests {
    private static let chats = "/v1/workspaces/3/channels/7/chats"

    private static func reply(
        _ chat: ChatHarness, to seq: Int, _ text: String = "reply", user: Int64 = 1, more: String = "",
        key: String = "native"
    ) async throws -> HTTPCall.Reply {
        try await chat.call(
            "POST", chats, user: user, key: key, json: #"{"content":"\#(text)","thread":\#(seq)\#(more)}"#)
    }

    private static func seqs(_ json: JSONValue?) -> [Int?] { json?.elements?.map { $0["seq"]?.int } ?? [] }

    private static func thread(_ chat: ChatHarness, _ seq: Int, _ query: String = "", user: Int64 = 1) async throws
        -> JSONValue
    {
        try await chat.call("GET", "\(chats)/\(seq)/thread\(query)", user: user).json
    }

    private static func threads(_ chat: ChatHarness, _ query: String = "", user: Int64 = 1) async throws -> JSONValue {
        try await chat.call("GET", "/v1/workspaces/3/threads\(query)", user: user).json
    }

    /// Channel 7 with five members.
    private static func use(_ body: (ChatHarness) async throws -> Void) async throws {
        try await ChatHarness.use { chat in
            chat.peers.change { state in
                state.workspaces[3] = [1, 2, 3, 4, 5, 6, 7]
                state.channels[7]?.members = [1, 2, 3, 4, 5, 6, 7]
            }
            try await body(chat)
        }
    }

    @Test("A reply joins the thread of its root, and raises the summary and the revision of the root")
    func replies() async throws {
        try await Self.use { chat in
            for number in 1...3 { _ = try await chat.send("\(number)") }
            try await chat.untilPublished()
            let listener = try RoomEventListener(chat.redis)
            let first = try await Self.reply(chat, to: 2, user: 2)
            #expect(first.status == 201, "\(first.text)")
            #expect(try first.json["thread"]?["root"]?.int == 2)
            #expect(try first.json["thread"]?["toRoom"] == nil)
            let second = try await Self.reply(chat, to: 4, user: 3, more: #","toRoom":true"#)
            #expect(try second.json["thread"]?["root"]?.int == 2)
            #expect(try second.json["thread"]?["toRoom"]?.bool == true)
            let root = try await chat.call("GET", "\(Self.chats)/2").json
            #expect(root["rev"]?.int == 2)
            #expect(root["replies"]?["count"]?.int == 2)
            #expect(root["replies"]?["users"]?.elements?.map(\.string) == ["3", "2"])
            #expect(root["replies"]?["lastAt"]?.string == (try second.json["createdAt"]?.string))
            let events = try await listener.events { events in
                events.contains { $0["type"]?.string == "changed" && $0["rev"]?.int == 2 }
            }
            let replies = events.filter { $0["type"]?.string == "message" }
            // A message that is marked too late is published again.
            #expect(replies.map { $0["seq"]?.int }.withoutRepeats == [4, 5])
            #expect(replies.allSatisfy { $0["thread"]?["root"]?.int == 2 })
            let changed = events.last { $0["type"]?.string == "changed" }
            #expect(changed?["seq"]?.int == 2)
            #expect(changed?["replies"]?["count"]?.int == 2)
            try await chat.untilPublished()
            let changes = try await chat.call("GET", "/v1/workspaces/3/channels/7/changes", user: 5).json
            #expect(Self.seqs(changes["items"]) == [2])
        }
    }

    @Test("Many replies at once are counted right and take few revisions")
    func manyReplies() async throws {
        try await Self.use { chat in
            _ = try await chat.send("root")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<60 {
                    group.addTask {
                        let reply = try await Self.reply(chat, to: 1, "\(number)", user: Int64(number % 7 + 1))
                        #expect(reply.status == 201, "\(reply.text)")
                    }
                }
                try await group.waitForAll()
            }
            let root = try await chat.call("GET", "\(Self.chats)/1").json
            #expect(root["replies"]?["count"]?.int == 60)
            #expect(root["replies"]?["users"]?.elements.map { Array($0).count } == 5)
            let rev = Int(try await chat.database.ask("select rev from chat.room where kind = 1 and id = 7")) ?? 0
            #expect((1..<60).contains(rev))
            #expect(root["rev"]?.int == rev)
        }
    }

    @Test("A thread of an unknown or a deleted message is not found, and bad input is refused; nothing is written")
    func refusals() async throws {
        try await Self.use { chat in
            for number in 1...2 { _ = try await chat.send("\(number)") }
            _ = try await Self.reply(chat, to: 2)
            _ = try await chat.call("DELETE", "\(Self.chats)/1")
            _ = try await chat.call("DELETE", "\(Self.chats)/3")
            for (thread, more, code) in [
                ("1", "", "E13"), ("3", "", "E13"), ("99", "", "E13"), ("0", "", "E11"), (#""x""#, "", "E11"),
                ("2", #","toRoom":"maybe""#, "E11"),
            ] {
                let reply = try await chat.call(
                    "POST", Self.chats, json: #"{"content":"a","thread":\#(thread)\#(more)}"#)
                #expect(reply.errorCode == code, "\(thread)\(more): \(reply.text)")
            }
            let alone = try await chat.call("POST", Self.chats, json: #"{"content":"a","toRoom":true}"#)
            #expect(alone.errorCode == "E11")
            // A message of another room.
            let dm = try await chat.dm(1, 2)
            let foreign = try await chat.call("POST", "\(dm)/chats", json: #"{"content":"a","thread":2}"#)
            #expect(foreign.errorCode == "E13", "\(foreign.text)")
            #expect(try await chat.database.ask("select count(*) from chat.message") == "3")
            let sent = try await Self.reply(chat, to: 2, more: #","client_id":"c""#)
            let again = try await Self.reply(chat, to: 2, more: #","client_id":"c""#)
            #expect(try sent.json["seq"]?.int == 4)
            #expect(try again.json["seq"]?.int == 4)
            #expect(try again.json["thread"]?["root"]?.int == 2)
            let other = try await Self.reply(chat, to: 2, more: #","client_id":"c","toRoom":true"#)
            #expect(other.status == 409)
        }
    }

    @Test("Native history leaves out replies that were not sent to the room; shipped apps see all of them")
    func timeline() async throws {
        try await Self.use { chat in
            _ = try await chat.send("root")
            for number in 1...5 { _ = try await Self.reply(chat, to: 1, "\(number)") }
            _ = try await chat.send("seven")
            _ = try await Self.reply(chat, to: 1, "shown", more: #","toRoom":true"#)
            for number in 9...10 { _ = try await Self.reply(chat, to: 1, "\(number)") }
            func seqs(_ query: String, key: String = "native") async throws -> [Int?] {
                try await chat.history(query, user: 2, key: key).map { $0["seq"]?.int }
            }
            #expect(try await seqs("") == [1, 7, 8])
            #expect(try await seqs("?threads=inline") == Array(1...10))
            #expect(try await seqs("", key: "collatalk") == Array(1...10))
            // A limit counts the messages of the timeline.
            #expect(try await seqs("?before_seq=11&limit=2") == [7, 8])
            #expect(try await seqs("?before_seq=7&limit=2") == [1])
            #expect(try await seqs("?after_seq=1&limit=1") == [7])
            #expect(try await seqs("?after_seq=8&limit=3") == [])
            let refused = try await chat.call("GET", "\(Self.chats)?threads=all")
            #expect(refused.errorCode == "E11")
            let shipped = try await Self.reply(chat, to: 1, "plain", key: "gen-2024-07")
            #expect(shipped.status == 200, "\(shipped.text)")
            #expect(try await seqs("?after_seq=8") == [11])
        }
    }

    @Test("A deleted reply leaves its thread, and the summary of the root is right again")
    func deletion() async throws {
        try await Self.use { chat in
            _ = try await chat.send("root")
            _ = try await chat.call("PUT", "\(Self.chats)/1", json: #"{"content":"edited"}"#)
            let first = try await Self.reply(chat, to: 1, user: 2)
            _ = try await Self.reply(chat, to: 1, user: 3)
            _ = try await Self.reply(chat, to: 1, user: 2)
            let listener = try RoomEventListener(chat.redis)
            for (seq, user) in [(3, 3), (4, 2)] as [(Int, Int64)] {
                let deleted = try await chat.call("DELETE", "\(Self.chats)/\(seq)", user: user)
                #expect(deleted.status == 200, "\(deleted.text)")
            }
            let root = try await chat.call("GET", "\(Self.chats)/1").json
            #expect(root["replies"]?["count"]?.int == 1)
            #expect(root["replies"]?["users"]?.elements?.map(\.string) == ["2"])
            #expect(root["replies"]?["lastAt"]?.string == (try first.json["createdAt"]?.string))
            #expect(root["editedAt"]?.string != nil)
            let rev = root["rev"]?.int
            _ = try await listener.events { $0.contains { $0["seq"]?.int == 1 && $0["rev"]?.int == rev } }
            let page = try await Self.thread(chat, 1)
            #expect(Self.seqs(page["items"]) == [2])
            _ = try await chat.call("DELETE", "\(Self.chats)/2", user: 2)
            let empty = try await chat.call("GET", "\(Self.chats)/1").json
            #expect(empty["replies"] == nil)
            // The root of a thread with replies can be deleted; the replies stay.
            _ = try await Self.reply(chat, to: 1, user: 2)
            _ = try await chat.call("DELETE", "\(Self.chats)/1")
            let orphaned = try await Self.thread(chat, 5)
            #expect(orphaned["root"]?["deletedAt"]?.string != nil)
            #expect(orphaned["root"]?["replies"]?["count"]?.int == 1)
            #expect(Self.seqs(orphaned["items"]) == [5])
        }
    }
}
