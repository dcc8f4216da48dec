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
            where user_id = $1 and content = '' and written_at < $7 and (kind, room, thread) <> ($2, $3, $4)
        ), written as (
            insert into draft (user_id, kind, room, thread, content, written_at)
            select $1::bigint, $2::smallint, $3::bigint, $4::bigint, $5::text, $6::bigint
            where $5 = '' or exists (
                select from draft
                where user_id = $1 and kind = $2 and room = $3 and thread = $4 and content <> ''
            ) or (select count(*) from draft where user_id = $1 and content <> '') < $8
            on conflict (user_id, kind, room, thread) do update
                set content = excluded.content, written_at = excluded.written_at
                where draft.written_at <= excluded.written_at
            returning 1
        )
        select exists (select from written) or exists (
            select from draft
            where user_id = $1 and kind = $2 and room = $3 and thread = $4 and written_at > $6
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
    func put(_ draft: Draft, of user: UserID, in room: RoomID, limit: Int) async throws -> Bool {
        try await database.query(
            Self.put, user, room.kindNumber, room.rawValue, draft.thread ?? 0, draft.content,
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
