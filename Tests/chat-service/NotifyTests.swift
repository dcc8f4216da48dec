import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Notification levels", .serialized)
struct NotifyTests {
    private static func put(
        _ chat: ChatHarness, _ json: String, user: Int64 = 1, _ room: String = ChatHarness.channel
    ) async throws -> HTTPCall.Reply {
        try await chat.call("PUT", "\(room)/notify", user: user, json: json)
    }

    @Test("A room shows its level, its mute and the read marker; unread counts continue")
    func rooms() async throws {
        try await ChatHarness.use { chat in
            let dm = try await chat.dm(1, 2)
            let id = dm.split(separator: "/").last.map(String.init) ?? ""
            let until = "\(Timestamp.now + .seconds(3600))"
            let set = try await Self.put(chat, #"{"level":"mentions","mutedUntil":"\#(until)"}"#)
            #expect(set.text == #"{"level":"mentions","mutedUntil":"\#(until)"}"#)
            #expect(try await Self.put(chat, #"{"level":"none"}"#, dm).status == 200)
            _ = try await chat.send("하나", user: 2)
            let channel = try await chat.room("channel_id", "7")
            #expect(channel["notify"]?.string == "mentions" && channel["mutedUntil"]?.string == until)
            #expect(channel["unreadCount"]?.int == 1 && channel["lastReadSeq"]?.int == 0)
            let room = try await chat.room("room_id", id)
            #expect(room["notify"]?.string == "none" && room["mutedUntil"] == nil)
            let others = try await chat.room("channel_id", "7", user: 2)
            #expect(others["notify"]?.string == "all" && others["lastReadSeq"]?.int == 1)
            #expect(try await Self.put(chat, #"{"level":"all"}"#).text == #"{"level":"all"}"#)
            let reset = try await chat.room("channel_id", "7")
            #expect(reset["notify"]?.string == "all" && reset["mutedUntil"] == nil)
            let shipped = try await chat.room("channel_id", "7", key: "gathering")
            for name in ["notify", "lastReadSeq", "draft"] as [StaticString] { #expect(shipped[name] == nil) }
        }
    }

    @Test("A level that is not valid changes nothing")
    func refusing() async throws {
        try await ChatHarness.use { chat in
            for json in [
                "{}", #"{"level":"some"}"#, #"{"level":2}"#, #"{"level":"all","mutedUntil":"tomorrow"}"#,
                #"{"level":"all","mutedUntil":"2020-01-01T00:00:00.000Z"}"#, #"{"level":"all","mutedUntil":5}"#,
            ] {
                #expect(try await Self.put(chat, json).errorCode == "E11", "\(json)")
            }
            let outside = try await Self.put(chat, #"{"level":"all"}"#, user: 5)
            #expect(outside.errorCode == "E13")
            let rows = try await chat.database.ask("select count(*) from chat.room_notify")
            #expect(rows == "0")
        }
    }

    @Test("While a part of a divided schema is out of reach, pushes continue without badges")
    func withoutBadges() async throws {
        try await ChatHarness.use(["divided_by_workspace": "true"]) { chat in
            #expect(try await chat.send("안녕").status == 201)
            #expect(try await chat.decisions([2], seq: 1, badges: [2]).badges == [2: 1])
            // Only badges are counted from the table of DMs.
            try await chat.locking("dm") {
                let found = try await chat.decisions([2], seq: 1, badges: [2])
                #expect(found.reasons == [2: "all"] && found.badges.isEmpty)
            }
        }
    }

    @Test("Each member is pushed a message or not for a reason: level, mute, hours, mention, keyword")
    func decisions() async throws {
        try await ChatHarness.use { chat in
            chat.peers.change { state in
                state.channels[7]?.members = [1, 2, 3, 4, 5, 6]
                state.nicknames = [2: "민지", 3: "민지수"]
            }
            for user in [2, 3, 4] as [Int64] { _ = try await Self.put(chat, #"{"level":"mentions"}"#, user: user) }
            _ = try await Self.put(chat, #"{"level":"none"}"#, user: 5)
            try await chat.set(user: 4, keywords: ["배포"])
            try await chat.set(user: 6, doNotDisturb: #"{"from":"00:00","to":"23:59","zone":"Asia/Seoul"}"#)
            let all: [Int64] = [2, 3, 4, 5, 6]
            _ = try await chat.send("안녕")
            var found = try await chat.decisions(all, seq: 1).reasons
            #expect(found[2] == "mentions_only" && found[3] == "mentions_only" && found[5] == "none")
            _ = try await chat.send("@민지야 재배포 부탁해")
            found = try await chat.decisions(all, seq: 2).reasons
            #expect(found[2] == "mention" && found[3] == "mentions_only" && found[4] == "keyword" && found[5] == "none")
            #expect(found[6] == "do_not_disturb" || found[6] == "all")
            _ = try await chat.send("@channel")
            found = try await chat.decisions(all, seq: 3).reasons
            #expect(found[3] == "mention" && found[5] == "none")
            let until = "\(Timestamp.now + .seconds(3600))"
            _ = try await Self.put(chat, #"{"level":"all","mutedUntil":"\#(until)"}"#, user: 2)
            // A read message is pushed all the same.
            _ = try await chat.history(user: 3)
            found = try await chat.decisions(all, seq: 3).reasons
            #expect(found[2] == "muted" && found[3] == "mention")
            #expect(try await chat.decisions([2, 3], seq: 99).reasons == [2: "deleted", 3: "deleted"])
        }
    }

    @Test("The stream of pushes has no text; a decision brings the text as it is now, unless the message is deleted")
    func texts() async throws {
        try await ChatHarness.use { chat in
            _ = try await chat.send("a secret")
            try await chat.untilPublished()
            // A message that is marked too late is published again.
            #expect(try await chat.pushes().withoutRepeats == ["channel-7:1"])
            #expect(!(try await chat.redis.command("XRANGE", "push", "-", "+").joined().contains("secret")))
            #expect(try await chat.decisions([2], seq: 1).content == "a secret")
            let message = "\(ChatHarness.channel)/chats/1"
            #expect(try await chat.call("PUT", message, json: #"{"content":"an edit"}"#).status == 200)
            #expect(try await chat.decisions([2], seq: 1).content == "an edit")
            #expect(try await chat.call("DELETE", message).status == 200)
            #expect(try await chat.decisions([2], seq: 1).content == nil)
        }
    }

    /// Sends a message. Returns the reason of the decision about a user.
    private static func reason(_ chat: ChatHarness, _ text: String, _ user: Int64) async throws -> String? {
        let seq = try await chat.send(text).json["seq"]?.int ?? 0
        return try await chat.decisions([user], seq: seq).reasons[user]
    }

    @Test("A mention uses the current members and names, also right after a change")
    func fresh() async throws {
        try await ChatHarness.use { chat in
            for user in [2, 3] as [Int64] { _ = try await Self.put(chat, #"{"level":"mentions"}"#, user: user) }
            #expect(try await Self.reason(chat, "@n2", 2) == "mention")
            #expect(try await Self.reason(chat, "@새 이름님", 2) == "mentions_only")
            chat.peers.change { $0.nicknames[2] = "새 이름" }
            try await chat.redis.command("PUBLISH", "invalidate:users", #"{"user_id":"2","version":9}"#)
            try await eventually("the new name") { try await Self.reason(chat, "@새 이름님", 2) == "mention" }
            chat.peers.change { $0.channels[7]?.members.remove(3) }
            try await chat.redis.command("PUBLISH", "invalidate:access", #"{"workspace_id":"3","user_id":"3"}"#)
            try await eventually("the removal") { try await Self.reason(chat, "@n3", 3) == "mentions_only" }
        }
    }

    @Test("Texts without a sign cost no lookup of members, and names of members are looked up once")
    func lookups() async throws {
        try await ChatHarness.use { chat in
            func asked() -> Int { chat.peers.now.asked.count { $0.hasSuffix("/members") } }
            for text in ["하나", "둘"] { _ = try await chat.send(text) }
            for seq in 1...2 { _ = try await chat.decisions([2, 3], seq: seq) }
            #expect(asked() == 0)
            try await chat.untilCached("/internal/channels/7/members") { _ = try await chat.send("@n2 셋") }
            let lookups = asked()
            for _ in 0..<3 { _ = try await chat.send("@n2 넷") }
            for seq in 3...5 { _ = try await chat.decisions([2, 3], seq: seq) }
            #expect(lookups > 0 && asked() == lookups)
        }
    }

    @Test("A badge counts thousands of unread messages, and the rooms of all workspaces")
    func largeBadges() async throws {
        try await ChatHarness.use { chat in
            try await chat.database.database.run(
                sql: """
                    insert into chat.room (kind, id, workspace, last_seq) values (1, 7, 3, 2500), (1, 9, 4, 30);
                    insert into chat.message (workspace, kind, room, seq, author, session, content, files, created_at)
                        select 3, 1, 7, n, case when n = 2000 then 3 else 2 end, 1, 'hi', '{}'::text[], n
                        from generate_series(1, 2500) n
                        union all select 4, 1, 9, n, 2, 1, 'hi', '{}'::text[], n from generate_series(1, 30) n;
                    insert into chat.read_position (workspace, user_id, kind, room, seq) values (3, 4, 1, 7, 2490)
                    """)
            let badges = try await chat.decisions([1, 3, 4], seq: 2500, badges: [1, 3, 4]).badges
            #expect(badges == [1: 2530, 3: 500, 4: 10])
        }
    }

    @Test("R7: a badge is the sum of a user's unread messages in all rooms, through any sends, deletions and reads")
    func badges() async throws {
        try await ChatHarness.use { chat in
            chat.peers.change { $0.channels[8]?.members = [1, 2, 3] }
            let dms = [try await chat.dm(1, 2), try await chat.dm(2, 3)]
            let rooms = [ChatHarness.channel, "/v1/workspaces/3/channels/8"] + dms
            let members: [[Int64]] = [[1, 2, 3], [1, 2, 3], [1, 2], [2, 3]]
            for step in 0..<120 {
                let room = Int.random(in: 0..<4)
                let user = members[room].randomElement() ?? 2
                if step % 5 == 4 {
                    // Refused unless the message is the user's own.
                    let path = "\(rooms[room])/chats/\(Int.random(in: 1...20))"
                    _ = try await chat.call("DELETE", path, user: user)
                } else if Int.random(in: 0..<4) > 0 {
                    let json = #"{"content":"\#(step)"}"#
                    _ = try await chat.call("POST", "\(rooms[room])/chats", user: user, json: json)
                } else {
                    let seq = Int.random(in: 0...20)
                    _ = try await chat.call("PUT", "\(rooms[room])/read", user: user, json: #"{"seq":\#(seq)}"#)
                }
            }
            // A message by another user, which all three get.
            let last = try await chat.send("끝", user: 4).json["seq"]?.int ?? 0
            let badges = try await chat.decisions([1, 2, 3], seq: last, badges: [1, 2, 3]).badges
            for user in 1...3 as ClosedRange<Int64> {
                let summaries = try await chat.call("GET", "/v1/workspaces/3/rooms", user: user).json.elements
                let sum = summaries?.compactMap { $0["unreadCount"]?.int }.reduce(0, +)
                #expect(badges[user] == sum, "user \(user)")
            }
        }
    }
}
