import Contract
import Postgres
import Wire

/// Finds and erases the rows of a deleted account in a schema that is divided by workspace. Each statement that erases is for one workspace,
/// so that it needs no other part.
struct DividedUserErasureStore: Sendable {
    let database: PostgresPool
    let finder: WorkspaceFinder

    private static let workspaces = Statement.read(
        "workspaces of user",
        """
        select workspace from read_position where user_id = $1
        union select workspace from removal where user_id = $1
        union select workspace from dm where low = $1
        union select workspace from dm where high = $1
        union select workspace from reaction where user_id = $1
        union select workspace from room_notify where user_id = $1
        union select workspace from draft where user_id = $1
        union select workspace from scheduled where user_id = $1
        union select workspace from scheduled_sent where user_id = $1
        union select workspace from thread_follower where user_id = $1
        union select workspace from mention where user_id = $1
        union select workspace from saved_message where user_id = $1
        union select workspace from command_run where user_id = $1
        union select workspace from standing where user_id = $1
        union select workspace from report where reporter = $1
        """)
    private static let workspacesAmong = Statement.read(
        "workspaces of user among some",
        """
        select workspace from read_position where workspace = any($2::bigint[]) and user_id = $1
        union select workspace from removal where workspace = any($2::bigint[]) and user_id = $1
        union select workspace from dm where workspace = any($2::bigint[]) and low = $1
        union select workspace from dm where workspace = any($2::bigint[]) and high = $1
        union select workspace from reaction where workspace = any($2::bigint[]) and user_id = $1
        union select workspace from room_notify where workspace = any($2::bigint[]) and user_id = $1
        union select workspace from draft where workspace = any($2::bigint[]) and user_id = $1
        union select workspace from scheduled where workspace = any($2::bigint[]) and user_id = $1
        union select workspace from scheduled_sent where workspace = any($2::bigint[]) and user_id = $1
        union select workspace from thread_follower where workspace = any($2::bigint[]) and user_id = $1
        union select workspace from mention where workspace = any($2::bigint[]) and user_id = $1
        union select workspace from saved_message where workspace = any($2::bigint[]) and user_id = $1
        union select workspace from command_run where workspace = any($2::bigint[]) and user_id = $1
        union select workspace from standing where workspace = any($2::bigint[]) and user_id = $1
        union select workspace from report where workspace = any($2::bigint[]) and reporter = $1
        """)
    private static let ownRows = Statement.write(
        "erase own rows in workspace",
        """
        with levels as (delete from room_notify where workspace = $2 and user_id = $1),
        drafts as (delete from draft where workspace = $2 and user_id = $1),
        later as (delete from scheduled where workspace = $2 and user_id = $1 returning files),
        freed as (
            update file set is_sent = false
            where workspace = $2
                and name in (select substring(path from '[^_]*$') from later, unnest(later.files) as path)
        ),
        followed as (delete from thread_follower where workspace = $2 and user_id = $1),
        mentioned as (delete from mention where workspace = $2 and user_id = $1),
        bookmarks as (delete from saved_message where workspace = $2 and user_id = $1),
        runs as (delete from command_run where workspace = $2 and user_id = $1),
        standings as (delete from standing where workspace = $2 and user_id = $1)
        update report set reporter = null where workspace = $2 and reporter = $1
        """)
    /// A statement of its own after `ownRows`, which does not see the name that a send has left during it.
    private static let sent = Statement.write(
        "erase names of sent scheduled messages in workspace",
        "delete from scheduled_sent where workspace = $2 and user_id = $1")
    private static let reactions = Statement.read(
        "reactions of user in workspace",
        """
        select room.workspace, r.kind, r.room, r.seq, r.emoji, room.name
        from (select kind, room, seq, emoji from reaction where workspace = $3 and user_id = $1 limit $2) as r
        join room on room.workspace = $3 and room.kind = r.kind and room.id = r.room
        order by r.kind, r.room, r.seq
        """)
    private static let rooms = Statement.read(
        "rooms of user in workspace",
        """
        select workspace, kind, room from read_position where workspace = $2 and user_id = $1
        union select workspace, kind, room from removal where workspace = $2 and user_id = $1
        union select workspace, 2::smallint, id from dm where workspace = $2 and low = $1
        union select workspace, 2::smallint, id from dm where workspace = $2 and high = $1
        order by 1, 2, 3
        """)
    private static let settings = Statement.write(
        "erase settings of user", "delete from user_settings where user_id = $1")
    private static let storage = Statement.write(
        "erase storage of user", "delete from storage where kind = 1 and id = $1")

    /// The workspaces with rows of a user, and whether none are missing because a part is out of reach.
    ///
    /// - Parameter others: workspaces in which the user may have written without such a row. Those in parts that are out of reach are
    ///   missing as well.
    func workspaces(
        of user: UserID, and others: Set<WorkspaceID>
    ) async throws -> (found: Set<WorkspaceID>, isComplete: Bool) {
        let (found, isComplete) = try await finder.search(
            .rooms, and: others,
            all: { tx in try await tx.query(Self.workspaces, user).map(Self.workspace) + others },
            among: { tx, part in
                try await tx.query(Self.workspacesAmong, user, part).map(Self.workspace) + part.filter(others.contains)
            })
        return (Set(found), isComplete)
    }

    private static func workspace(_ row: inout Row) throws(PostgresError) -> WorkspaceID { try row.next() }

    /// Erases the rows that only the user sees.
    func eraseOwnRows(of user: UserID, in workspace: WorkspaceID) async throws {
        var batch = PostgresBatch()
        for statement in [Self.ownRows, Self.sent] { try batch.add(statement, user, workspace) }
        try await database.run(batch)
    }

    /// Some reactions of a user by room and message, as changes that take them back.
    func reactions(of user: UserID, in workspace: WorkspaceID, limit: Int) async throws -> [PendingChange] {
        try await database.query(Self.reactions, user, limit, workspace).map { row throws(PostgresError) in
            try PendingChange(takingBackFor: user, row: &row)
        }
    }

    /// The rooms that a user has read, was removed from, or has as a DM.
    func rooms(of user: UserID, in workspace: WorkspaceID) async throws -> [RoomKey] {
        try await database.query(Self.rooms, user, workspace).map { row throws(PostgresError) in
            try row.nextRoomKey()
        }
    }

    /// Erases the rows that belong to no workspace. Each server has a copy of the settings, so they go when all are within reach.
    func eraseSharedRows(of user: UserID) async throws {
        try await database.execute(Self.storage, user)
        try await database.execute(Self.settings, user)
    }
}
