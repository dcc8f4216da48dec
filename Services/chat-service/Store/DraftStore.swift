import Postgres
import Wire

/// The table of drafts.
struct DraftStore: Sendable {
    let database: PostgresPool

    /// How long a cleared draft stays, so that an older text that arrives late does not bring it back.
    private static let memoryOfCleared = Duration.seconds(600)

    private static let expire = Statement.write(
        "expire cleared drafts",
        """
        delete from draft
        where user_id = $1 and workspace = $2 and content = '' and written_at < $6
            and (kind, room, thread) <> ($3, $4, $5)
        """)
    /// A draft that exists may always change.
    private static let put = Statement.write(
        "put draft",
        """
        insert into draft (user_id, workspace, kind, room, thread, content, written_at)
        select $1::bigint, $2::bigint, $3::smallint, $4::bigint, $5::bigint, $6::text, $7::bigint
        where $6 = '' or exists (
            select from draft
            where user_id = $1 and workspace = $2 and kind = $3 and room = $4 and thread = $5 and content <> ''
        ) or (select count(*) from draft where user_id = $1 and content <> '') < $8
        on conflict on constraint draft_pkey do update
            set content = excluded.content, written_at = excluded.written_at
            where draft.written_at <= excluded.written_at
        """)
    /// An older write changes nothing, and counts as done.
    private static let isDone = Statement.read(
        "is draft written",
        """
        select exists (
            select from draft
            where user_id = $1 and workspace = $2 and kind = $3 and room = $4 and thread = $5 and written_at >= $6
        )
        """)
    /// A row of the release 0.2.0 for a channel without messages has no workspace yet.
    private static let adopt = Statement.write(
        "adopt draft",
        """
        update draft set workspace = $2
        where workspace = 0 and user_id = $1 and kind = $3 and room = $4 and thread = $5
        """)
    /// Rows of the release 0.2.0 for channels without messages have the workspace 0.
    private static let ofUser = Statement.read(
        "drafts of user",
        """
        select kind, room, thread, content, written_at from draft
        where user_id = $1 and (workspace = any($2::bigint[]) or workspace = 0) and content <> ''
        order by kind, room, thread
        """)

    /// Stores a draft unless a later one is known. Returns false if the user has `limit` others in all workspaces;
    /// concurrent calls may exceed the limit by a few.
    func put(_ draft: Draft, of user: UserID, in room: RoomKey, limit: Int) async throws -> Bool {
        if try await write(draft, of: user, in: room, limit: limit) { return true }
        let adopted = try await database.execute(
            Self.adopt, user, room.workspace, room.kindNumber, room.rawValue, draft.thread ?? 0)
        if adopted == 0 { return false }
        return try await write(draft, of: user, in: room, limit: limit)
    }

    private func write(_ draft: Draft, of user: UserID, in room: RoomKey, limit: Int) async throws -> Bool {
        let (workspace, kind, number, thread) = (room.workspace, room.kindNumber, room.rawValue, draft.thread ?? 0)
        let time = draft.updatedAt.milliseconds
        var batch = PostgresBatch()
        try batch.add(
            Self.expire, user, workspace, kind, number, thread,
            (draft.updatedAt - Self.memoryOfCleared).milliseconds)
        try batch.add(Self.put, user, workspace, kind, number, thread, draft.content, time, limit)
        try batch.add(Self.isDone, user, workspace, kind, number, thread, time)
        return try await database.run(batch)[2].value()
    }

    /// All drafts of a user in workspaces by room, that of the room itself first.
    func list(of user: UserID, in workspaces: Set<WorkspaceID>) async throws -> [RoomID: [Draft]] {
        let found = try await database.query(Self.ofUser, user, Array(workspaces)).map(Self.draft)
        return Dictionary(grouping: found, by: \.0).mapValues { $0.map(\.1) }
    }

    /// Reads the columns kind, room, thread, content, written_at.
    static func draft(_ row: inout Row) throws(PostgresError) -> (RoomID, Draft) {
        let room = try row.nextRoom()
        let thread: Int64 = try row.next()
        return (
            room,
            Draft(
                thread: thread == 0 ? nil : thread, content: try row.next(),
                updatedAt: Timestamp(milliseconds: try row.next()))
        )
    }
}
