import Contract
import Postgres
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Workspaces of rows")
struct WorkspaceFillingTests {
    /// More than one portion of messages, and rows of each way to a workspace. Channel 9 has no message, so that its workspace is
    /// not known here.
    private static let earlier = """
        set search_path = chat;
        insert into room (kind, id, workspace) values (1, 7, 3), (1, 8, 4);
        insert into dm (workspace, low, high, created_at) values (5, 1, 2, 0);
        insert into message (kind, room, seq, author, session, content, files, created_at)
            select 1, 7 + n % 2, n, 1, 1, repeat('a', 200), '{}', n from generate_series(1, 6000) as n;
        insert into reaction (kind, room, seq, emoji, user_id, reacted_at) values (1, 7, 2, 'a', 1, 0);
        insert into read_position (user_id, kind, room, seq) values (1, 1, 8, 1), (1, 2, 1, 0), (1, 1, 9, 0);
        insert into file (name, folder, kind, room, display_name, size) values ('f', 'x', 1, 8, '', 1);
        insert into report (workspace, type, reason, text, created_at, is_for_operators) values (6, 3, '', '', 0, true);
        insert into report_copy (report, seq, author, nickname, content, files, sent_at) values (1, 1, 1, '', '', '{}', 0);
        insert into webhook_subscription (id, workspace, url, events, channels, seed, created_by, created_at)
            values (1, 7, '', '{}', '{}', '', 1, 0);
        insert into webhook_queue (subscription, room, seq, rev) values (1, 7, 0, 0);
        select pg_relation_size('message') > 2 * 64 * 8192
        """

    @Test(
        "Rows of an earlier release get the workspaces of their rooms, and so do those that it writes after the upgrade"
    )
    func filling() async throws {
        let database = try await ChatDatabase(through: 159)
        try await database.lent { database in
            #expect(try await database.ask(Self.earlier) == "t")
            try await database.run { pool in try await pool.migrate("chat", Migrations.all) }
            let filled = try await database.ask(
                """
                set search_path = chat;
                select string_agg(distinct room || ' ' || workspace, ',') from message;
                select workspace from reaction;
                select string_agg(kind || ' ' || room || ' ' || workspace, ',' order by kind, room) from read_position;
                select workspace from report_copy;
                select workspace from webhook_queue;
                select workspace from file;
                select bool_and(next_block >= end_block) from workspace_filling
                """)
            #expect(filled.split(separator: "\n") == ["7 3,8 4", "3", "1 8 4,1 9 0,2 1 5", "6", "7", "4", "t"])
            let later = try await database.ask(
                """
                set search_path = chat;
                insert into room (kind, id, workspace) values (1, 9, 8);
                insert into message (kind, room, seq, author, session, content, files, created_at)
                    values (1, 9, 1, 1, 1, '', '{}', 0) returning workspace;
                select workspace from read_position where room = 9;
                insert into mention (kind, room, seq, user_id) values (1, 9, 1, 2) on conflict (kind, room, seq, user_id) do nothing
                    returning workspace
                """)
            #expect(later.split(separator: "\n") == ["8", "8", "8"])
        }
    }

    @Test("A draft and a level of an earlier release in a channel without messages are kept, and change")
    func emptyChannel() async throws {
        let database = try await ChatDatabase(through: 159)
        try await database.lent { database in
            _ = try await database.ask(
                """
                set search_path = chat;
                insert into draft (user_id, kind, room, thread, content, written_at) values (1, 1, 9, 0, 'before', 1);
                insert into room_notify (user_id, kind, room, level, muted_until) values (1, 1, 9, 3, 0)
                """)
            try await database.run { pool in
                try await pool.migrate("chat", Migrations.all)
                let (user, room) = (UserID(1), RoomKey(workspace: WorkspaceID(8), id: RoomID(ChannelID(9))))
                let (drafts, levels) = (DraftStore(database: pool), RoomNotifyStore(database: pool))
                func kept() async throws -> [String?] {
                    let draft = try await drafts.list(of: user, in: [room.workspace])[room.id]?.first?.content
                    let level = try await levels.list(of: user, in: [room.workspace])[room.id]?.level
                    return [draft, level.map { "\($0)" }]
                }
                let before = try await kept()
                #expect(before == ["before", "none"])
                let draft = Draft(thread: nil, content: "after", updatedAt: .now)
                let isStored = try await drafts.put(draft, of: user, in: room, limit: 1)
                #expect(isStored)
                try await levels.put(RoomNotify(level: .mentions, mutedUntil: nil), of: user, in: room)
                let after = try await kept()
                #expect(after == ["after", "mentions"])
            }
            let rows = try await database.ask(
                "select workspace from chat.draft union all select workspace from chat.room_notify")
            #expect(rows == "8\n8")
        }
    }
}
