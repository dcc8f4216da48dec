import Contract
import Postgres
import ServiceKit
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

/// Counts the rows that statements of an erasure read in a full room. Its tables have never been analyzed, so that the planner expects
/// a row or two.
@Suite("Reads of an erasure", .serialized)
struct ErasureReadsTests {
    private static let room = RoomKey(workspace: WorkspaceID(3), id: RoomID(ChannelID(7)))
    private static let messages = 6000

    /// A room in which the messages with even numbers are of user 2. Each has a reaction, an earlier text and a search entry, and the first
    /// thousand are roots without replies.
    ///
    /// Postgres itself checks foreign keys, with plans of its own that may read the room.
    private static let fullRoom = """
        set session_replication_role = replica;
        alter table chat.message_change drop constraint message_change_kind_room_seq_fkey;
        insert into chat.room (kind, id, workspace, name, last_seq) values (1, 7, 3, 'general', \(messages));
        insert into chat.search_progress (workspace, kind, room, seq, rev, form) values (3, 1, 7, \(messages), 0, 0);
        insert into chat.search_partition (period) values (0);
        create table chat.search_message_of_test partition of chat.search_message for values from (0) to (1000000);
        insert into chat.message (workspace, kind, room, seq, author, session, content, files, created_at, thread)
            select 3, 1, 7, n, 1 + (n + 1) % 2, 1, 'text', '{}', n, case when n > 1000 then (n + 1) / 2 % 1000 + 1 end
            from generate_series(1, \(messages)) n;
        insert into chat.search_message (created_at, workspace, room, seq, kind, grams)
            select n, 3, 7, n, 1, '{}' from generate_series(1, \(messages)) n;
        insert into chat.reaction (workspace, kind, room, seq, emoji, user_id, reacted_at)
            select 3, 1, 7, n, 'x', 2, 1 from generate_series(1, \(messages)) n;
        insert into chat.message_version (workspace, kind, room, seq, content, written_at, written_by)
            select 3, 1, 7, n, 'x', 1, 2 from generate_series(1, \(messages)) n;
        insert into chat.thread (workspace, kind, room, root, count, last_seq, last_at, users)
            select 3, 1, 7, n, 0, n, n, '{}' from generate_series(1, 1000) n;
        insert into chat.reply (workspace, kind, room, seq, root, is_aside)
            select 3, 1, 7, n, (n + 1) / 2 % 1000 + 1, false from generate_series(5001, \(messages)) n;
        """

    /// SQL that counts the rows of a table that were read through its indexes and without them.
    private static func reads(_ table: String) -> String {
        """
        select coalesce(sum(idx_tup_read), 0) + (select seq_tup_read from pg_stat_user_tables where relname = '\(table)')
            from pg_stat_user_indexes where relname = '\(table)'
        """
    }

    /// SQL that counts how often a table was looked into, through its indexes and without them.
    private static func scans(_ table: String) -> String {
        """
        select coalesce(sum(idx_scan), 0) + (select seq_scan from pg_stat_user_tables where relname = '\(table)')
            from pg_stat_user_indexes where relname = '\(table)'
        """
    }

    /// The rows of tables that were read through its indexes and without them, after `body` has run in a full room.
    ///
    /// - Parameters:
    ///   - preparation: SQL that changes the room before.
    ///   - countsScans: counts how often each table was looked into instead of the rows.
    private func reads(
        of tables: [String], after preparation: String = "", countsScans: Bool = false,
        _ body: @escaping @Sendable (PostgresPool) async throws -> Void
    ) async throws -> [String: Int] {
        var reads: [String: Int] = [:]
        try await ChatDatabase.use { database in
            func count(_ table: String) async throws -> Int? {
                Int(try await database.ask(countsScans ? Self.scans(table) : Self.reads(table)))
            }
            _ = try await database.ask(Self.fullRoom + preparation)
            var before: [String: Int] = [:]
            for table in tables { before[table] = try await count(table) }
            try await database.run { pool in try await body(pool) }
            // Connections write their statistics when they end.
            for pool in database.pools { pool.close() }
            try await eventually("the end of the connections") {
                try await database.ask(
                    "select count(*) from pg_stat_activity where datname = current_database() and backend_type = 'client backend'"
                ) == "1"
            }
            for table in tables {
                reads[table] = (try await count(table) ?? .max) - (before[table] ?? 0)
            }
        }
        return reads
    }

    @Test("An erasure reads the messages of its batch and their details, not the whole room")
    func batch() async throws {
        let seqs = stride(from: Int64(5002), through: 5400, by: 2).map(\.self)
        let tables = ["message", "reaction", "message_version", "search_message_of_test", "reply"]
        let reads = try await reads(of: tables) { pool in
            let erased = try await MessageErasureStore(database: pool).erase(
                seqs, of: UserID(2), in: Self.room, at: .now)
            #expect(erased?.changed.count == 2 * seqs.count)
            #expect(erased?.isIndexed == true)
        }
        for table in tables {
            // The planner may read a small table once as a whole.
            let most = Self.messages + 12 * seqs.count
            #expect(reads[table].map { $0 >= seqs.count && $0 < most } == true, "\(table): \(reads)")
        }
    }

    @Test("An erasure of messages that nobody reacted to looks for reactions, pins and the like once")
    func withoutRests() async throws {
        let seqs = stride(from: Int64(5002), through: 5400, by: 2).map(\.self)
        let tables = ["message_version", "reaction", "pin", "saved_message", "reply", "mention"]
        let noRests = """

            update chat.message set thread = null;
            delete from chat.reaction;
            delete from chat.message_version;
            delete from chat.reply;
            delete from chat.thread;
            """
        let scans = try await reads(of: tables, after: noRests, countsScans: true) { pool in
            let erased = try await MessageErasureStore(database: pool).erase(
                seqs, of: UserID(2), in: Self.room, at: .now)
            #expect(erased?.changed.count == seqs.count)
        }
        for table in tables { #expect(scans[table].map { $0 < 10 } == true, "\(table): \(scans)") }
    }

    @Test("The erasure of a user's reactions reads each of them a few times, however many there are")
    func reactions() async throws {
        let count = 2000
        try await ChatHarness.use { chat in
            _ = try await chat.database.ask(
                """
                set session_replication_role = replica;
                insert into chat.room (kind, id, workspace, name, last_seq) values (1, 7, 3, 'general', \(count));
                insert into chat.message (workspace, kind, room, seq, author, session, content, files, created_at)
                    select 3, 1, 7, n, 1, 1, 'text', '{}', n from generate_series(1, \(count)) n;
                insert into chat.reaction (workspace, kind, room, seq, emoji, user_id, reacted_at)
                    select 3, 1, 7, n, 'x', 2, 1 from generate_series(1, \(count)) n;
                """)
            try await chat.erase(2, messages: false)
            #expect(try await chat.database.ask("select count(*) from chat.reaction") == "0")
            let reads = try await chat.database.ask(Self.reads("reaction"))
            #expect(Int(reads).map { $0 < 18 * count } == true, "\(reads)")
        }
    }

    @Test("The end of a scheduled send reads none of the names of earlier sends that stay")
    func namesOfSends() async throws {
        let names = """
            insert into chat.scheduled_sent (workspace, user_id, kind, room, client_id, id, send_at, created_at, sent_at)
                select 3, 1, 1, 7, 'c' || n, n, 1, 1, \(Timestamp.now.milliseconds) from generate_series(1, 5000) n;
            analyze chat.scheduled_sent;
            """
        let reads = try await reads(of: ["scheduled_sent"], after: names) { pool in
            let store = ScheduledStore(database: pool)
            let scheduled = try await store.insert(
                try SendRequest(content: "text", files: [], clientID: "new"), files: [], at: .now,
                to: MessageTarget(room: Self.room.id, workspace: Self.room.workspace, name: "general"),
                by: Caller(user: UserID(1), session: SessionID(1)), limit: 9, now: .now)
            try await store.finish(try #require(scheduled), now: .now)
        }
        #expect(reads["scheduled_sent"].map { $0 < 100 } == true, "\(reads)")
    }

    @Test(
        "The rows of the members of a closed room go in portions, so that no statement takes longer the more members there are"
    )
    func portions() async throws {
        try await ChatDatabase.use { database in
            _ = try await database.ask(
                """
                set session_replication_role = replica;
                insert into chat.room (kind, id, workspace, name, is_closed) values (1, 7, 3, 'general', true);
                insert into chat.read_position (user_id, kind, room, seq, workspace)
                    select n, 1, 7, 1, 3 from generate_series(1, 12000) n;
                create table chat.portion (rows bigint);
                create function chat.note_portion() returns trigger language plpgsql as $$
                    begin insert into chat.portion select count(*) from gone; return null; end $$;
                create trigger portion after delete on chat.read_position referencing old table as gone
                    for each statement execute function chat.note_portion();
                """)
            try await database.run { pool in
                let store = ErasureStore(database: pool)
                try await store.eraseRows(of: Self.room)
                try await store.finish([Self.room])
            }
            #expect(
                try await database.ask("select array_agg(rows order by rows desc) from chat.portion where rows > 0")
                    == "{5000,5000,2000}")
            #expect(try await database.ask("select is_erased from chat.room where id = 7") == "t")
        }
    }
}
