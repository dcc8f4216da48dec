import Contract
import EventLoop
import ServiceKit
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Mentions of the present members", .serialized)
struct HereTests {
    private static let chats = "/v1/workspaces/3/channels/7/chats"

    private static func inbox(_ chat: ChatHarness, _ user: Int64) async throws -> [Int] {
        let list = try await chat.call("GET", "/v1/workspaces/3/mentions", user: user).json
        return list["items"]?.elements?.map { $0["message"]?["seq"]?.int ?? 0 } ?? []
    }

    private static func count(_ chat: ChatHarness, _ user: Int64) async throws -> Int? {
        try await chat.room("channel_id", "7", user: user)["mentionCount"]?.int
    }

    /// All members but user 1 want mentions only.
    private static func quieten(_ chat: ChatHarness) async throws {
        for user in [2, 3, 4] as [Int64] {
            let set = try await chat.call(
                "PUT", "\(ChatHarness.channel)/notify", user: user, json: #"{"level":"mentions"}"#)
            #expect(set.status == 200)
        }
    }

    private static func edit(_ chat: ChatHarness, _ text: String) async throws {
        let reply = try await chat.call("PUT", "\(chats)/1", json: #"{"content":"\#(text)"}"#)
        #expect(reply.status == 200)
    }

    @Test("@here mentions the members that are present at the send: their counts, their inbox and their pushes")
    func present() async throws {
        try await ChatHarness.use { chat in
            try await Self.quieten(chat)
            chat.peers.change { $0.present = [1, 2, 4, 5] }
            let sent = try await chat.send("@here @n4")
            #expect(try sent.json["mentions"]?.elements?.map { $0["type"]?.string } == ["user", "here"])
            // Being present later changes nothing.
            chat.peers.change { $0.present = [3] }
            #expect(
                try await chat.decisions([2, 3, 4], seq: 1).reasons == [2: "mention", 3: "not_here", 4: "mention"])
            for (user, isMentioned) in [1: false, 2: true, 3: false, 4: true] as [Int64: Bool] {
                #expect(try await Self.count(chat, user) == (isMentioned ? 1 : 0), "user \(user)")
                #expect(try await Self.inbox(chat, user) == (isMentioned ? [1] : []), "user \(user)")
                #expect(try await chat.badges([user])[user]?.mentions == (isMentioned ? 1 : 0), "user \(user)")
            }
            #expect(
                try await chat.database.ask("select string_agg(user_id::text, ',' order by user_id) from chat.mention")
                    == "2,4")
            // A level decides about the others as about any message.
            _ = try await chat.call("PUT", "\(ChatHarness.channel)/notify", user: 3, json: #"{"level":"all"}"#)
            #expect(try await chat.decisions([3], seq: 1).reasons == [3: "all"])
        }
    }

    @Test("A17: @here reaches no blocker and nobody without presence, and a blocked member as all others")
    func blocks() async throws {
        try await ChatHarness.use { chat in
            chat.peers.change { state in
                state.present = [2, 3, 4]
                state.blocked = [2: [1], 1: [3]]
            }
            let hidden = try await chat.call(
                "PUT", "/v1/users/me/settings", user: 4,
                json: #"{"readReceipts":true,"presence":false,"typing":true,"keywords":[]}"#)
            #expect(hidden.status == 200)
            _ = try await chat.send("@here")
            #expect(try await chat.database.ask("select string_agg(user_id::text, ',') from chat.mention") == "3")
            #expect(try await chat.decisions([2], seq: 1).reasons == [2: "blocked"])
            #expect(try await Self.count(chat, 3) == 1)
        }
    }

    @Test("@here mentions all members if realtime-gateway does not answer in time, so that no notification is lost")
    func unanswered() async throws {
        try await ChatHarness.use(["here_timeout": "100ms"]) { chat in
            try await Self.quieten(chat)
            chat.peers.change { state in
                state.present = [2]
                state.holdsPresence = true
            }
            let sent = try await chat.send("@here")
            chat.peers.change { $0.holdsPresence = false }
            #expect(sent.status == 201)
            let reasons = try await chat.decisions([2, 3, 4], seq: 1).reasons
            #expect(reasons == [2: "mention", 3: "mention", 4: "mention"])
            #expect(try await Self.inbox(chat, 3) == [1])
            #expect(try await Self.count(chat, 4) == 1)
            let metrics = try await HTTPCall.get(
                port: chat.instances[0].running.internalAddress.port, "/metrics"
            ).text
            #expect(metrics.contains(#"maru_here_lookups_total{outcome="unanswered"} 1"#))
        }
    }

    @Test("A user with too many messages with @here mentions all members, and the gateway is not asked")
    func quota() async throws {
        try await ChatHarness.use(["user_here": "2"]) { chat in
            chat.peers.change { $0.present = [2] }
            // The gateway is asked again if it does not answer soon.
            func asked() -> Int { chat.peers.now.count("/internal/rooms/channel-7/present") }
            for _ in 1...2 { #expect(try await chat.send("@here").status == 201) }
            let before = asked()
            #expect(try await chat.send("@here").status == 201)
            #expect(before >= 2 && asked() == before)
            #expect(try await chat.send("@here", user: 2).status == 201)
            #expect(asked() > before)
            let (absent, present) = (try await Self.inbox(chat, 3), try await Self.inbox(chat, 2))
            #expect(absent == [3] && present == [3, 2, 1])
        }
    }

    @Test("An edit moves the mentions of @here, keeps those of a text that keeps it, and pushes nobody")
    func edits() async throws {
        try await ChatHarness.use { chat in
            try await Self.quieten(chat)
            _ = try await chat.send("hello")
            try await chat.untilPublished()
            let pushes = try await chat.pushes().filter { $0 != "none" }
            func mentioned() async throws -> [Int64] {
                var users: [Int64] = []
                for user in 2...4 as ClosedRange<Int64> where try await Self.inbox(chat, user) == [1] {
                    users.append(user)
                }
                return users
            }
            chat.peers.change { $0.present = [2] }
            try await Self.edit(chat, "@here")
            #expect(try await mentioned() == [2])
            // The text goes on to mention those that it mentioned, and the named one.
            chat.peers.change { $0.present = [3] }
            try await Self.edit(chat, "@here!")
            #expect(try await mentioned() == [2])
            try await Self.edit(chat, "@here and @n4")
            #expect(try await mentioned() == [2, 4])
            try await Self.edit(chat, "@here again")
            #expect(try await mentioned() == [2])
            try await Self.edit(chat, "nobody")
            #expect(try await mentioned() == [])
            try await Self.edit(chat, "@here once more")
            #expect(try await mentioned() == [3])
            chat.peers.change { $0.present = nil }
            try await Self.edit(chat, "nobody again")
            try await Self.edit(chat, "@here at last")
            #expect(try await mentioned() == [2, 3, 4])
            try await Self.edit(chat, "@here @n2")
            #expect(try await mentioned() == [2, 3, 4])
            try await Self.edit(chat, "@n2")
            #expect(try await mentioned() == [2])
            try await chat.untilPublished()
            #expect(try await chat.pushes().filter { $0 != "none" } == pushes)
        }
    }

    @Test("The messages of a batch mention the members that were present for each of them")
    func batch() async throws {
        try await ChatHarness.use { chat in
            let dm = RoomID(DMID(5))
            _ = try await chat.database.write([
                .sample("1", mentions: [.here], present: [UserID(2), UserID(3)]), .sample("2"),
                .sample("1", room: dm, mentions: [.room, .here], present: [UserID(9)]),
                .sample("3", mentions: [.here], present: nil), .sample("4", mentions: [.here], present: []),
                .sample("5", mentions: [.user(UserID(2), nickname: nil), .here], present: [UserID(2), UserID(4)]),
            ])
            let rows = try await chat.database.ask(
                "select string_agg(concat(kind, ' ', seq, ' ', user_id), ', ' order by kind, seq, user_id) from chat.mention"
            )
            #expect(rows == "1 1 2, 1 1 3, 1 3 -1, 1 5 2, 1 5 4, 2 1 0, 2 1 9")
        }
    }

    @Test("Members of a room of more than a thousand are asked for in several calls")
    func many() async throws {
        try await ChatHarness.use { chat in
            let members = Set(1...2500 as ClosedRange<Int64>)
            chat.peers.change { state in
                state.workspaces[3] = members
                state.channels[7]?.members = members
                state.present = [1, 2, 1500, 2500]
            }
            #expect(try await chat.send("@here").status == 201)
            // Each call may be made twice.
            let asked = chat.peers.now.count("/internal/rooms/channel-7/present")
            #expect((3...6).contains(asked), "\(asked)")
            let users = try await chat.database.ask(
                "select string_agg(user_id::text, ',' order by user_id) from chat.mention")
            #expect(users == "2,1500,2500")
        }
    }
}
