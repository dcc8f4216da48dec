import Contract
import Postgres
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Writing changes", .serialized)
struct ChangeWriterTests {
    private static let mine = RoomID(ChannelID(7))
    private static let other = RoomID(ChannelID(8))

    /// A change by user 1. Room 8 and those above are in workspaces of their own.
    private static func change(_ room: RoomID = mine, _ seq: Int64, _ kind: PendingChange.Kind) -> PendingChange {
        let target = MessageTarget(room: room, workspace: workspace(of: room), name: "general")
        return PendingChange(target: target, seq: seq, user: UserID(1), kind: kind)
    }

    private static func workspace(of room: RoomID) -> WorkspaceID { WorkspaceID(room.rawValue - 4) }

    private static func write(
        _ changes: [PendingChange], to database: ChatDatabase
    ) async throws -> ChangeWriter.Result {
        try await database.run { pool in
            try await ChangeWriter(database: pool, limits: ChangeLimits()).write(changes, now: .now)
        }
    }

    @Test("The messages that a batch of changes returns are those that the tables have")
    func returned() async throws {
        try await ChatDatabase.use { database in
            let (mine, other) = (Self.mine, Self.other)
            let mention = MessageMention.user(UserID(2), nickname: "n2")
            _ = try await database.write([
                .sample("a"), .sample("b", files: ["/static/channelChats/a_1.jpg"]), .sample("c", mentions: [mention]),
                .sample("x", room: other, workspace: 4), .sample("y", room: other, workspace: 4),
            ])
            _ = try await database.write([.sample("reply", reply: ReplyRequest(seq: 1, isInTimeline: false))])
            _ = try await database.ask(
                """
                insert into chat.file (name, folder, kind, room, display_name, size, workspace, width, height, blur)
                values ('1.jpg', 'channelChats', 1, 7, 'a', 1, 3, 10, 20, 'LEHV6nWB2yk8')
                """)
            let thumb = try #require(Emoji("👍"))
            let batches: [[PendingChange]] = [
                [
                    Self.change(mine, 1, .edit("<@2>", mentions: MessageMentions([mention]))),
                    Self.change(mine, 2, .react(thumb)), Self.change(mine, 3, .pin),
                    Self.change(other, 1, .react(thumb)), Self.change(other, 2, .edit("z")),
                ],
                [
                    Self.change(mine, 4, .delete), Self.change(mine, 2, .unreact(thumb)),
                    Self.change(mine, 3, .edit("nobody")), Self.change(other, 2, .delete),
                ],
                [Self.change(mine, 3, .unpin), Self.change(mine, 2, .delete), Self.change(other, 1, .unreact(thumb))],
            ]
            for (batch, count) in zip(batches, [5, 5, 3]) {
                let changed = try await Self.write(batch, to: database).changed
                #expect(changed.count == count)
                let keys = changed.map(\.key)
                let stored = try await database.run { pool in
                    var found = try await MessageStore(database: pool).find(keys)
                    try await MessageDetailStore(database: pool).fill(&found, for: .all)
                    return found
                }
                for (mine, theirs) in zip(changed, stored) {
                    #expect(mine.key == theirs.key && mine.content == theirs.content && mine.files == theirs.files)
                    #expect(mine.details.revision == theirs.details.revision, "\(mine.key)")
                    #expect(mine.details.previews == theirs.details.previews)
                    #expect(mine.traits == theirs.traits, "\(mine.key)")
                    #expect(mine.createdAt == theirs.createdAt && mine.id == theirs.id && mine.author == theirs.author)
                }
            }
        }
    }

    /// Calls `body` with a database that counts statements and their plans, and has messages in the rooms from 7 to 70.
    private static func counted(_ body: (ChatDatabase) async throws -> Void) async throws {
        let cluster = try await PostgresCluster.start([
            "shared_preload_libraries=pg_stat_statements", "pg_stat_statements.track_utility=off",
            "pg_stat_statements.track_planning=on",
        ])
        try await ChatDatabase(on: cluster).lent { database in
            _ = try await database.ask("create extension pg_stat_statements")
            // So many that Postgres looks for a message by its key.
            _ = try await database.ask(
                """
                insert into chat.room (kind, id, workspace, last_seq) select 1, n, n - 4, 500 from generate_series(7, 70) as n;
                insert into chat.message (workspace, kind, room, seq, author, session, content, files, created_at)
                    select n - 4, 1, n, seq, 1, 1, 'hello', '{}', seq from generate_series(7, 70) as n, generate_series(1, 500) as seq;
                analyze;
                """)
            try await body(database)
        }
        await cluster.stop()
    }

    /// The statements of the service that `body` makes, with their numbers of calls and plans.
    private static func statements(
        _ database: ChatDatabase, _ body: () async throws -> Void
    ) async throws -> [(calls: Int, plans: Int, sql: String)] {
        _ = try await database.ask("select pg_stat_statements_reset()")
        try await body()
        let rows = try await database.ask(
            """
            select calls, plans, left(regexp_replace(query, E'\\\\s+', ' ', 'g'), 60)
            from pg_stat_statements s join pg_database d on d.oid = s.dbid
            where datname = current_database() and query !~ 'pg_stat' order by query
            """)
        return rows.split(separator: "\n").map { line in
            let parts = line.split(separator: "|", maxSplits: 2)
            return (Int(parts[0]) ?? -1, Int(parts[1]) ?? -1, String(parts[2]))
        }
    }

    @Test("A batch of changes takes as many statements for three workspaces as for one")
    func statements() async throws {
        try await Self.counted { database in
            let thumb = try #require(Emoji("👍"))
            for (kinds, count) in [([.edit("new")], 9), ([.react(thumb), .pin, .edit("newer")], 16), ([.delete], 13)]
                as [([PendingChange.Kind], Int)]
            {
                for rooms in [7...7, 8...10] as [ClosedRange<Int64>] {
                    let changes = rooms.flatMap { room in
                        kinds.map { Self.change(RoomID(ChannelID(room)), 1, $0) }
                    }
                    let made = try await Self.statements(database) {
                        let written = try await Self.write(changes, to: database)
                        #expect(written.changed.count == rooms.count)
                    }
                    #expect(made.count == count && made.allSatisfy { $0.calls == 1 }, "\(made)")
                }
            }
        }
    }

    @Test("Postgres keeps the plans of the statements of small batches")
    func plans() async throws {
        try await Self.counted { database in
            let thumb = try #require(Emoji("👍"))
            let made = try await Self.statements(database) {
                for number in 0..<40 {
                    let room = RoomID(ChannelID(Int64(7 + number)))
                    for kind in [.edit("new"), .react(thumb), .unreact(thumb), .pin, .unpin, .delete]
                        as [PendingChange.Kind]
                    {
                        _ = try await Self.write([Self.change(room, 1, kind)], to: database)
                    }
                }
            }
            // The first five plans of a connection are for their values alone, and a few more follow new statistics.
            #expect(made.filter { $0.plans > 20 }.map(\.sql) == [])
            #expect(made.contains { $0.calls == 240 })
        }
    }
}
