import Postgres
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Closing of rooms", .serialized)
struct ClosingTests {
    /// Enough messages for many batches of the erasure.
    private static let messages = 30_000

    /// Inserts a channel of workspace 3 with many messages.
    private static let fullChannel = """
        insert into chat.room (kind, id, workspace, name, last_seq, last_at)
            values (1, 7, 3, 'general', \(messages), 2 * \(messages));
        insert into chat.message (workspace, kind, room, seq, author, session, content, files, created_at)
            select 3, 1, 7, n, n % 4 + 1, 1001, 'message ' || n, '{}', 2 * n from generate_series(1, \(messages)) as n;
        insert into chat.read_position (workspace, user_id, kind, room, seq) values (3, 2, 1, 7, 5);
        """

    /// Counts the remaining contents of closed rooms, and the rooms marked as erased.
    private static let left = """
        select (select count(*) from chat.message where room <> 9), (select count(*) from chat.read_position),
            (select count(*) from chat.file), (select count(*) from chat.room where is_erased)
        """

    private static let lock = Statement.write("lock messages", "lock table message in share mode")

    /// Runs `body` under a lock that blocks deletions and inserts of messages.
    private static func lockingMessages(
        _ chat: ChatHarness, _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        let (held, holding) = AsyncStream.makeStream(of: Void.self)
        let ended = Task {
            for await _ in held { break }
            try await body()
        }
        try await chat.database.run { pool in
            try await pool.transaction { tx in
                try await tx.execute(.waitForLong)
                try await tx.query(lock)
                holding.yield()
                try await ended.value
            }
        }
    }

    @Test("All rooms of a deleted workspace are closed, and later facts are processed, before the erasure ends")
    func order() async throws {
        try await ChatHarness.use { chat in
            try await chat.database.database.run(sql: Self.fullChannel)
            let opened = try await chat.call("POST", "/v1/workspaces/3/dms", json: #"{"opponent_id":"2"}"#)
            let chats = "/v1/workspaces/3/dms/\(try opened.json["room_id"]?.string ?? "")/chats"
            for path in [chats, "/v1/workspaces/4/channels/9/chats"] {
                let sent = try await chat.call("POST", path, json: #"{"content":"hi"}"#)
                #expect(sent.status == 201)
            }
            try await chat.untilPublished()
            let listener = try RoomEventListener(chat.redis)
            try await Self.lockingMessages(chat) {
                try await chat.publishFact(1, "workspace.deleted", #"{"workspace_id":"3","version":2}"#)
                try await chat.publishFact(
                    2, "channel.member.removed",
                    #"{"channel_id":"9","workspace_id":"4","name":"g","user_id":"2","version":2}"#)
                let events = try await listener.events { $0.last?["room"]?.string == "channel-9" }
                let named = events.map { "\($0["type"]?.string ?? "") \($0["room"]?.string ?? "")" }
                #expect(named == ["closed channel-7", "closed dm-1", "removed channel-9"])
                // The stub of workspace-service still reports the members: only the fact says that the workspace is
                // deleted.
                for (method, body) in [("GET", nil), ("POST", #"{"content":"still there?"}"#)] {
                    let reply = try await chat.call(method, chats, json: body)
                    #expect(reply.errorCode == "E13", "\(method): \(reply.text)")
                }
                let count = try await chat.database.ask("select count(*) from chat.message where room <> 9")
                #expect(count == "\(Self.messages + 1)")
            }
            try await eventually("the erasure") { try await chat.database.ask(Self.left) == "0|0|0|2" }
            let other = try await chat.call("GET", "/v1/workspaces/4/channels/9/chats")
            #expect(try other.json[0]?["content"]?.string == "hi")
        }
    }

    @Test("The messages of a closed room leave the search index, also those indexed while it was closed")
    func searchIndex() async throws {
        try await ChatHarness.use { chat in
            for text in ["first", "second"] {
                let sent = try await chat.call(
                    "POST", "\(ChatHarness.channel)/chats", json: #"{"content":"\#(text)"}"#)
                #expect(sent.status == 201)
            }
            try await eventually("the index") {
                try await chat.database.ask("select count(*) from chat.search_message where workspace > 0") == "2"
            }
            // An indexer at work on the room holds the row of its progress.
            try await chat.database.run { pool in
                try await pool.transaction { tx in
                    try await tx.execute(.waitForLong)
                    try await tx.query(Self.indexing)
                    try await chat.publishFact(1, "workspace.deleted", #"{"workspace_id":"3","version":2}"#)
                    // The erasure waits.
                    try await chat.database.database.untilBlocked()
                    try await tx.query(Self.lateEntry)
                }
            }
            try await eventually("the erasure") {
                try await chat.database.ask("select is_erased from chat.room where kind = 1 and id = 7") == "t"
            }
            #expect(try await chat.database.ask("select count(*) from chat.search_message where workspace > 0") == "0")
        }
    }

    private static let indexing = Statement.write(
        "lock progress",
        """
        with absent as (delete from search_message where workspace > 0)
        select from search_progress where kind = 1 and room = 7 for update
        """)
    private static let lateEntry = Statement.write(
        "write late entries",
        """
        insert into search_message (created_at, workspace, room, seq, kind, grams)
            select created_at, 3, room, seq, kind, '{}' from message
        """)

    @Test("Drafts, levels, scheduled messages and their files in channels without messages go with their workspace")
    func withoutMessages() async throws {
        try await ChatHarness.use { chat in
            let draft = try await chat.call(
                "PUT", "/v1/workspaces/3/channels/8/draft", json: #"{"content":"a draft"}"#)
            #expect(draft.status < 300, "\(draft.text)")
            let scheduled = try await chat.call(
                "POST", "\(ChatHarness.channel)/scheduled",
                headers: [("Content-Type", "multipart/form-data; boundary=\(Upload.boundary)")],
                body: Upload.form([.png], [("content", "later"), ("at", "\(Timestamp.now + .seconds(3600))")]))
            #expect(scheduled.status == 201, "\(scheduled.text)")
            #expect(!chat.storedFiles.isEmpty)
            // Nothing else is in this channel.
            let level = "insert into chat.room_notify (user_id, workspace, kind, room, level, muted_until)"
            try await chat.database.database.run(sql: level + " values (1, 3, 1, 11, 1, 0)")
            try await chat.publishFact(1, "workspace.deleted", #"{"workspace_id":"3","version":2}"#)
            let left = """
                select (select count(*) from chat.draft), (select count(*) from chat.scheduled),
                    (select count(*) from chat.file), (select count(*) from chat.room_notify)
                """
            try await eventually("the erasure") { try await chat.database.ask(left) == "0|0|0|0" }
            #expect(chat.storedFiles.isEmpty)
        }
    }

    @Test("The erasure finds the read markers of a closed room by an index")
    func positions() async throws {
        try await ChatHarness.use { chat in
            try await chat.database.database.run(
                sql: """
                    insert into chat.room (kind, id, workspace, name) values (1, 7, 3, 'general');
                    insert into chat.read_position (user_id, kind, room, seq)
                        select n, 1, n % 5000, 1 from generate_series(1, 50000) as n;
                    analyze chat.read_position;
                    """)
            try await chat.publishFact(1, "workspace.deleted", #"{"workspace_id":"3","version":2}"#)
            try await eventually("an index scan") {
                try await chat.database.ask(
                    "select idx_scan > 0 from pg_stat_user_indexes where indexrelname = 'read_position_of_room'") == "t"
            }
            let left = try await chat.database.ask("select count(*), sum((room = 7)::int) from chat.read_position")
            #expect(left == "49990|0")
        }
    }

    @Test("The erasure of a full room reads each message a few times, also before the table was analyzed")
    func reads() async throws {
        try await ChatHarness.use { chat in
            try await chat.database.database.run(sql: Self.fullChannel)
            try await chat.publishFact(1, "workspace.deleted", #"{"workspace_id":"3","version":2}"#)
            try await eventually("the erasure") { try await chat.database.ask(Self.left) == "0|0|0|1" }
            let read = try await chat.database.ask(
                "select sum(idx_tup_read) from pg_stat_user_indexes where relname = 'message'")
            // Far more, if each batch looked at all messages.
            #expect(Int(read).map { $0 < 6 * Self.messages } == true, "\(read)")
        }
    }

    @Test("A room with rows that cannot be deleted yet is not called erased, and others are erased meanwhile")
    func failure() async throws {
        try await ChatHarness.use { chat in
            try await chat.database.database.run(
                sql: """
                    insert into chat.room (kind, id, workspace, name) values (1, 7, 3, 'general'), (1, 8, 3, 'random');
                    insert into chat.read_position (user_id, kind, room, seq) values (2, 1, 7, 1), (2, 1, 8, 1);
                    create function chat.refuse() returns trigger language plpgsql as $$
                        begin raise 'not yet'; end $$;
                    create trigger refuse before delete on chat.read_position for each row when (old.room = 7)
                        execute function chat.refuse();
                    """)
            try await chat.publishFact(1, "workspace.deleted", #"{"workspace_id":"3","version":2}"#)
            let erased = "select string_agg(id || ' ' || is_erased, ', ' order by id) from chat.room"
            try await eventually("the erasure of one room") { try await chat.database.ask(erased) == "7 false, 8 true" }
            try await chat.database.database.run(sql: "drop trigger refuse on chat.read_position")
            try await eventually("the erasure of both") { try await chat.database.ask(erased) == "7 true, 8 true" }
            #expect(try await chat.database.ask("select count(*) from chat.read_position") == "0")
        }
    }

    @Test("A restarted process finishes the erasure of a killed one")
    func restart() async throws {
        try await ChatProcess().lent { process in
            await process.kill()
            try await process.database.database.run(
                sql: Self.fullChannel + "update chat.room set is_closed = true")
            try await process.start()
            try await eventually("the erasure") { try await process.database.ask(Self.left) == "0|0|0|1" }
        }
    }

    @Test(
        "A user that leaves a workspace is removed from its open rooms in batches of 100, with one event for each"
    )
    func leaving() async throws {
        let cluster = try await PostgresCluster.start(["shared_preload_libraries=pg_stat_statements"])
        try await ChatHarness.use(on: cluster) { chat in
            try await chat.database.database.run(
                sql: """
                    create extension pg_stat_statements;
                    insert into chat.room (kind, id, workspace, name, last_seq, is_closed)
                        select 1, n, 3, 'c' || n, n, n % 10 = 0 from generate_series(1, 250) as n
                    """)
            let listener = try RoomEventListener(chat.redis)
            try await chat.publishFact(
                1, "workspace.member.removed", #"{"workspace_id":"3","user_id":"2","version":3}"#)
            let events = try await listener.events { $0.count >= 225 }
            let open = (1...250).filter { $0 % 10 != 0 }
            #expect(events.map { $0["room"]?.string } == open.map { "channel-\($0)" })
            #expect(events.map { $0["after"]?.int } == open)
            #expect(events.allSatisfy { $0["type"]?.string == "removed" && $0["user_id"]?.string == "2" })
            let calls = try await chat.database.ask(
                """
                select calls from pg_stat_statements s join pg_database d on d.oid = s.dbid
                where datname = current_database() and query ~ 'insert into removal'
                """)
            // One for each batch of a hundred, and those of a fact that was delivered again.
            #expect((3...6).contains(Int(calls) ?? 0), "\(calls)")
        }
        await cluster.stop()
    }
}
