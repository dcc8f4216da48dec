import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Reactions", .serialized)
struct ReactionTests {
    private static let thumb = "%F0%9F%91%8D"
    private static let chats = "\(ChatHarness.channel)/chats"

    private static func react(
        _ chat: ChatHarness, _ emoji: String, user: Int64 = 1, _ method: String = "PUT"
    ) async throws -> HTTPCall.Reply {
        try await chat.call(method, "\(chats)/1/reactions/\(emoji)", user: user)
    }

    /// Each reaction as its emoji, count and users.
    private static func reactions(_ chat: ChatHarness) async throws -> [String] {
        let list = try await chat.call("GET", "\(chats)/1").json["reactions"]?.elements.map(Array.init) ?? []
        return list.map { reaction in
            let users = reaction["users"]?.elements?.compactMap(\.string) ?? []
            return "\(reaction["emoji"]?.string ?? "")\(reaction["count"]?.int ?? 0):\(users.joined(separator: ","))"
        }
    }

    @Test("A former member's reactions stay; those of an erased account go, and sockets get the change")
    func leaving() async throws {
        try await ChatHarness.use { chat in
            _ = try await chat.send("one")
            for user in [2, 3, 4] as [Int64] { _ = try await Self.react(chat, Self.thumb, user: user) }
            chat.peers.change { $0.channels[7]?.members.remove(2) }
            try await chat.redis.command("PUBLISH", "invalidate:access", #"{"workspace_id":"3","user_id":"2"}"#)
            try await chat.publishFact(
                1, "channel.member.removed",
                #"{"workspace_id":"3","channel_id":"7","user_id":"2","version":5}"#)
            // Of an emoji that the message does not have: until the removal is known, the call succeeds.
            try await eventually("the removal") {
                try await Self.react(chat, "%E2%9D%A4%EF%B8%8F", user: 2, "DELETE").errorCode == "E13"
            }
            #expect(try await Self.reactions(chat) == ["👍3:2,3,4"])
            let listener = try RoomEventListener(chat.redis)
            try await chat.erase(3, messages: false)
            // An event of the reactions before may come first.
            _ = try await listener.events { events in
                events.contains { $0["type"]?.string == "changed" && $0["reactions"]?[0]?["count"]?.int == 2 }
            }
            try await eventually("the erasure") { try await Self.reactions(chat) == ["👍2:2,4"] }
            #expect(try await chat.database.ask("select count(*) from chat.reaction where user_id = 3") == "0")
        }
    }

    @Test("Flags, skin tones, families and keycaps are reactions, and two spellings of one are one")
    func kinds() async throws {
        try await ChatHarness.use { chat in
            _ = try await chat.send("one")
            // 🇰🇷, 👍🏿, 👨‍👩‍👧‍👦, 1️⃣ and 1⃣, ❤️
            for emoji in [
                "%F0%9F%87%B0%F0%9F%87%B7", "%F0%9F%91%8D%F0%9F%8F%BF",
                "%F0%9F%91%A8%E2%80%8D%F0%9F%91%A9%E2%80%8D%F0%9F%91%A7%E2%80%8D%F0%9F%91%A6", "1%EF%B8%8F%E2%83%A3",
                "%E2%9D%A4%EF%B8%8F",
            ] {
                let reply = try await Self.react(chat, emoji)
                #expect(reply.status == 200, "\(emoji): \(reply.text)")
            }
            #expect(try await Self.react(chat, "1%E2%83%A3", user: 2).status == 200)
            #expect(try await Self.reactions(chat) == ["🇰🇷1:1", "👍🏿1:1", "👨‍👩‍👧‍👦1:1", "1️⃣2:1,2", "❤️1:1"])
            #expect(try await Self.react(chat, "1%E2%83%A3", "DELETE").status == 200)
            #expect(try await Self.reactions(chat).contains("1️⃣1:2"))
        }
    }

    @Test("A message has at most message_reactions different emojis, and more people may join those that it has")
    func limit() async throws {
        try await ChatHarness.use(["message_reactions": "2"]) { chat in
            _ = try await chat.send("one")
            for emoji in [Self.thumb, "%F0%9F%8E%89"] { #expect(try await Self.react(chat, emoji).status == 200) }
            #expect(try await Self.react(chat, "%F0%9F%91%8E").errorCode == "E11")
            #expect(try await Self.react(chat, Self.thumb, user: 2).status == 200)
            _ = try await Self.react(chat, "%F0%9F%8E%89", "DELETE")
            #expect(try await Self.react(chat, "%F0%9F%91%8E").status == 200)
            #expect(try await Self.reactions(chat) == ["👍2:1,2", "👎1:1"])
        }
    }
}
