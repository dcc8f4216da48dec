import Postgres
import Wire

/// The table of drafts.
struct DraftStore: Sendable {
    let database: PostgresPool

    /// How long a cleared draft stays, so that an older text that arrives late does not bring it back.
    private static let memoryOfCleared = Duration.seconds(600)
    /// How much older a draft can be that arrives late: no call takes so long. One that is further ahead was written by an instance
    /// with a wrong clock, and would refuse all others until its time.
    private static let longestDelay: Int64 = 60_000

    private static let expire = Statement.write(
        "expire cleared drafts",
        """
        delete from draft
        where user_id = $1 and workspace = $2 and content = '' and written_at < $6
            and (kind, room, thread) <> ($3, $4, $5)
        """)
    /// A draft that exists may always change. `$8` says whether the user may have another one.
    private static let put = Statement.write(
        "put draft",
        """
        insert into draft (user_id, workspace, kind, room, thread, content, written_at)
        select $1::bigint, $2::bigint, $3::smallint, $4::bigint, $5::bigint, $6::text, $7::bigint
        where $6 = '' or $8::boolean or exists (
            select 1 from draft
            where user_id = $1 and workspace = $2 and kind = $3 and room = $4 and thread = $5 and content <> ''
        )
        on conflict on constraint draft_pkey do update
            set content = excluded.content, written_at = excluded.written_at
            where draft.written_at <= excluded.written_at or draft.written_at > excluded.written_at + $9
        """)
    private static let count = Statement.read(
        "number of drafts", "select count(*) from draft where user_id = $1 and content <> ''")
    /// An older write changes nothing, and counts as done.
    private static let isDone = Statement.read(
        "is draft written",
        """
        select exists (
            select from draft
            where user_id = $1 and workspace = $2 and kind = $3 and room = $4 and thread = $5
                and (written_at > $6 and written_at <= $6 + $8::bigint or written_at = $6 and content = $7)
        )
        """)
    /// A row of the release 0.2.0 for a channel without messages has no workspace yet.
    private static let takeOut = Statement.write(
        "take out draft without workspace",
        """
        delete from draft where workspace = 0 and user_id = $1 and kind = $2 and room = $3 and thread = $4
        returning content, written_at
        """)
    private static let putBack = Statement.write(
        "put back draft with workspace",
        """
        insert into draft (user_id, workspace, kind, room, thread, content, written_at)
        values ($1, $2, $3, $4, $5, $6, $7)
        on conflict on constraint draft_pkey do nothing
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
        if try await write(draft, of: user, in: room, mayBeNew: false) { return true }
        let others = try await database.query(Self.count, user).value(as: Int64.self)
        if others < limit, try await write(draft, of: user, in: room, mayBeNew: true) { return true }
        guard try await giveWorkspace(toDraftOf: user, in: room, thread: draft.thread ?? 0) else { return false }
        return try await write(draft, of: user, in: room, mayBeNew: false)
    }

    /// Moves a draft without a workspace to the room's workspace. It deletes and inserts the row, because a distributed table does not
    /// let an update change the workspace. Returns whether there was one.
    private func giveWorkspace(toDraftOf user: UserID, in room: RoomKey, thread: Int64) async throws -> Bool {
        let (workspace, kind, number) = (room.workspace, room.kindNumber, room.rawValue)
        return try await database.transaction { tx in
            let old = try await tx.query(Self.takeOut, user, kind, number, thread).first { row throws(PostgresError) in
                (content: try row.next(as: String.self), writtenAt: try row.next(as: Int64.self))
            }
            guard let old else { return false }
            try await tx.execute(
                Self.putBack, user, workspace, kind, number, thread, old.content, old.writtenAt)
            return true
        }
    }

    private func write(_ draft: Draft, of user: UserID, in room: RoomKey, mayBeNew: Bool) async throws -> Bool {
        let (workspace, kind, number, thread) = (room.workspace, room.kindNumber, room.rawValue, draft.thread ?? 0)
        let time = draft.updatedAt.milliseconds
        var batch = PostgresBatch()
        try batch.add(
            Self.expire, user, workspace, kind, number, thread,
            (draft.updatedAt - Self.memoryOfCleared).milliseconds)
        try batch.add(
            Self.put, user, workspace, kind, number, thread, draft.content, time, mayBeNew, Self.longestDelay)
        try batch.add(
            Self.isDone, user, workspace, kind, number, thread, time, draft.content, Self.longestDelay)
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
