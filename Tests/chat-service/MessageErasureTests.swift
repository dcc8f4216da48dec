import Contract
import Postgres
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Erasure of messages in batches", .serialized)
struct MessageErasureTests {
    private static let plain = 250
    private static let lockProgress = Statement.write(
        "lock progress of index", "select 1 from chat.search_progress where workspace = 3 and room = 7 for update")

    /// Writes messages of user 2 into a channel that other tables know: with a file, reactions, a pin, an earlier text, a mention,
    /// a bookmark, as root and as reply.
    private func plant(_ chat: ChatHarness, _ channel: Int) async throws {
        let room = "/v1/workspaces/3/channels/\(channel)"
        func expect(_ method: String, _ path: String, _ json: String = "{}", user: Int64 = 2) async throws {
            let reply = try await chat.call(method, room + path, user: user, json: json)
            #expect(reply.status < 300, "\(method) \(path): \(reply.text)")
        }
        try await expect("POST", "/chats", #"{"content":"회의 of another"}"#, user: 1)
        for text in ["회의 first", "@n1 회의"] { try await expect("POST", "/chats", #"{"content":"\#(text)"}"#) }
        try await expect("PUT", "/chats/2", #"{"content":"회의 second"}"#)
        for seq in [1, 2] { try await expect("PUT", "/chats/\(seq)/reactions/%F0%9F%91%8D", user: 1) }
        try await expect("PUT", "/chats/2/pin")
        try await expect("PUT", "/chats/2/saved", user: 1)
        for (thread, user) in [(1, 2), (1, 1), (1, 2), (2, 1), (2, 2)] as [(Int, Int64)] {
            try await expect("POST", "/chats", #"{"content":"회의 reply","thread":\#(thread)}"#, user: user)
        }
    }

    /// Everything that is stored about a channel's messages, without times and revisions.
    private func state(_ chat: ChatHarness, _ channel: Int) async throws -> String {
        let key = "kind = 1 and room = \(channel)"
        return try await chat.database.ask(
            """
            select seq, author, content, files, digest is null, mentions, thread, deleted_at is not null, edited_at is not null
                from chat.message where \(key) order by seq;
            select seq from chat.message_change where \(key) order by seq;
            select seq, emoji, user_id from chat.reaction where \(key) order by 1, 2, 3;
            select root, count, last_seq, users from chat.thread where \(key) order by root;
            select user_id, root, is_following from chat.thread_follower where \(key) order by 1, 2;
            select count(*) from chat.message_version where \(key) union all
            select count(*) from chat.pin where \(key) union all select count(*) from chat.saved_message where \(key)
            union all select count(*) from chat.mention where \(key) union all select count(*) from chat.reply where \(key)
            union all select count(*) from chat.search_message where \(key);
            """)
    }

    @Test("D1: an erasure in batches leaves the same state as deleting the messages one by one")
    func sameAsDeletions() async throws {
        try await ChatHarness.use { chat in
            chat.peers.change { $0.channels[8]?.members = [1, 2, 3, 4] }
            for channel in [7, 8] { try await plant(chat, channel) }
            try await chat.untilIndexed()
            #expect(try await state(chat, 7) == state(chat, 8))
            for seq in [2, 3, 4, 6, 8] {
                #expect(try await chat.call("DELETE", "\(ChatHarness.channel)/chats/\(seq)", user: 2).status == 200)
            }
            // The erasure of the traces in both rooms is not compared.
            try await chat.database.run { pool in
                let store = MessageErasureStore(database: pool)
                let (user, room) = (UserID(2), RoomKey(workspace: WorkspaceID(3), id: RoomID(ChannelID(8))))
                let erased = try await store.erase([1, 2, 3, 4, 6, 8, 99], of: user, in: room, at: .now)
                // The root of another author has lost replies, and comes first.
                #expect(erased?.changed.map(\.seq) == [1, 2, 3, 4, 6, 8])
                #expect(try await store.erase([1, 2, 3, 99], of: user, in: room, at: .now) == nil)
            }
            try await chat.untilIndexed()
            #expect(try await state(chat, 7) == state(chat, 8))
            #expect(try await chat.found("회의", "&in=channel-8") == ["회의 reply", "회의 reply", "회의 of another"])
            let revisions = try await chat.database.ask(
                """
                select max(c.rev) = room.rev, count(distinct c.rev) = count(*), bool_and(c.rev = m.rev)
                from chat.message_change c join chat.message m using (workspace, kind, room, seq)
                join chat.room on room.workspace = c.workspace and room.kind = c.kind and room.id = c.room where c.room = 8 group by room.rev
                """)
            #expect(revisions == "t|t|t")
        }
    }

    @Test("A batch that meets the indexer at work leaves the search entries to it")
    func indexer() async throws {
        try await ChatHarness.use(["search_index_share": "100"]) { chat in
            let last: Int64 = 30
            for number in 1...last { _ = try await chat.send("회의 \(number)", user: 2) }
            @Sendable func erase(_ seq: Int64) async throws -> Bool? {
                try await chat.database.run { pool in
                    try await MessageErasureStore(database: pool)
                        .erase(
                            [seq], of: UserID(2), in: RoomKey(workspace: WorkspaceID(3), id: RoomID(ChannelID(7))),
                            at: .now)?.isIndexed
                }
            }
            @Sendable func entries(of seq: Int64) async throws -> String {
                try await chat.database.ask("select count(*) from chat.search_message where room = 7 and seq = \(seq)")
            }
            // A last step of the indexer, which finds nothing, follows at once, and may meet the first erasure.
            var (seq, isIndexed) = (Int64(0), false)
            while !isIndexed, seq < last - 1 {
                try await chat.untilIndexed()
                seq += 1
                isIndexed = try await erase(seq) == true
            }
            #expect(isIndexed)
            #expect(try await entries(of: seq) == "0")
            try await chat.database.run { pool in
                try await pool.transaction { tx in
                    try await tx.query(Self.lockProgress)
                    #expect(try await erase(last) == false)
                    #expect(try await entries(of: last) == "1")
                }
            }
        }
    }

    @Test(
        "D1: an account's messages go in all their rooms, and an event for each batch tells where gateways find the others"
    )
    func events() async throws {
        try await ChatHarness.use { chat in
            let listener = try RoomEventListener(chat.redis)
            _ = try await chat.upload([.png], content: "with a file", user: 2)
            _ = try await chat.database.ask(
                """
                insert into chat.message (workspace, kind, room, seq, author, session, content, files, created_at)
                select 3, 1, 7, n, case when n % 2 = 0 then 1 else 2 end, 1, 'text ' || n, '{}', n
                from generate_series(2, \(2 * Self.plain)) as n;
                update chat.room set last_seq = \(2 * Self.plain) where kind = 1 and id = 7
                """)
            try await chat.erase(2, messages: true)
            #expect(
                try await chat.database.ask(
                    "select count(*) filter (where author = 2), count(*) from chat.message where deleted_at is null")
                    == "0|\(Self.plain)")
            try await eventually("the end of the file") { chat.storedFiles.isEmpty }
            let events = try await listener.events { events in
                events.contains { $0["revs"]?[0]?.int == Self.plain }
            }
            let changes = events.compactMap(RoomEvent.init).compactMap { event -> RoomChange? in
                if case .changed(let change) = event { change } else { nil }
            }
            // An event that is marked too late is published again.
            #expect(changes.map { [$0.othersAfter, $0.rev] }.withoutRepeats == [[0, 200], [200, 250]])
            #expect(changes.allSatisfy { $0.message.body.isDeleted })
        }
    }
}
