import Postgres
import Wire

/// The table of drafts.
struct DraftStore: Sendable {
    let database: PostgresPool

    /// How long a cleared draft stays, so that an older text that arrives late does not bring it back.
    private static let memoryOfCleared = Duration.seconds(600)

    /// A draft that exists may always change. An older write changes nothing, and counts as done.
    private static let put = Statement.write(
        "put draft",
        """
        with expired as (
            delete from draft
            where user_id = $1 and content = '' and written_at < $8 and (workspace, kind, room, thread) <> ($2, $3, $4, $5)
        ), written as (
            insert into draft (user_id, workspace, kind, room, thread, content, written_at)
            select $1::bigint, $2::bigint, $3::smallint, $4::bigint, $5::bigint, $6::text, $7::bigint
            where $6 = '' or exists (
                select from draft
                where user_id = $1 and workspace = $2 and kind = $3 and room = $4 and thread = $5 and content <> ''
            ) or (select count(*) from draft where user_id = $1 and content <> '') < $9
            on conflict on constraint draft_pkey do update
                set content = excluded.content, written_at = excluded.written_at
                where draft.written_at <= excluded.written_at
            returning 1
        )
        select exists (select from written) or exists (
            select from draft
            where user_id = $1 and workspace = $2 and kind = $3 and room = $4 and thread = $5 and written_at > $7
        )
        """)
    private static let ofUser = Statement.read(
        "drafts of user",
        """
        select kind, room, thread, content, written_at from draft
        where user_id = $1 and content <> '' order by kind, room, thread
        """)

    /// Stores a draft unless a later one is known. Returns false if the user has `limit` others; concurrent calls may
    /// exceed the limit by a few.
    func put(_ draft: Draft, of user: UserID, in room: RoomKey, limit: Int) async throws -> Bool {
        try await database.query(
            Self.put, user, room.workspace, room.kindNumber, room.rawValue, draft.thread ?? 0, draft.content,
            draft.updatedAt.milliseconds, (draft.updatedAt - Self.memoryOfCleared).milliseconds, limit
        ).value()
    }

    /// All drafts of a user by room, that of the room itself first.
    func list(of user: UserID) async throws -> [RoomID: [Draft]] {
        let found = try await database.query(Self.ofUser, user).map { row throws(PostgresError) in
            let room = try row.nextRoom()
            let thread: Int64 = try row.next()
            return (
                room,
                Draft(
                    thread: thread == 0 ? nil : thread, content: try row.next(),
                    updatedAt: Timestamp(milliseconds: try row.next()))
            )
        }
        return Dictionary(grouping: found, by: \.0).mapValues { $0.map(\.1) }
    }
}
