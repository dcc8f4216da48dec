import Postgres
import Wire

/// Finds the traces of a deleted account in the tables of workspaces.
struct ErasureStore: Sendable {
    let database: PostgresPool

    private static let memberships = Statement.read(
        "workspaces of user", "select workspace from member where user_id = $1 order by workspace limit $2")
    private static let shared = Statement.read(
        "shared workspaces of owner",
        """
        select w.id from member m join workspace w on w.id = m.workspace and w.owner = m.user_id
        where m.user_id = $1 and exists (select from member o where o.workspace = w.id and o.user_id <> $1
            and not exists (select from bot b where b.workspace = w.id and b.user_id = o.user_id))
        order by w.id
        """)
    private static let successor = Statement.read(
        "successor of owner",
        """
        select user_id from member m where workspace = $1 and user_id <> $2
            and not exists (select from bot b where b.workspace = m.workspace and b.user_id = m.user_id)
        order by role = 'guest', locked_out_at is not null, role <> 'admin', joined_at, user_id limit 1
        """)
    private static let bans = Statement.write("erase bans", "delete from ban where user_id = $1")
    private static let requests = Statement.write(
        "erase join requests", "delete from join_request where user_id = $1")
    private static let invitations = Statement.write(
        "erase creators of invitations",
        "update invitation set created_by = null, recipient = null where created_by = $1")
    private static let recipients = Statement.write(
        "erase recipients of invitations",
        """
        update invitation set recipient = null
        where recipient is not null and lower(recipient collate "C") = any($1::text[])
        """)
    private static let secondFactor = Statement.write(
        "erase second factor", "delete from second_factor where user_id = $1")
    private static let graces = Statement.write(
        "erase graces of second factor", "delete from second_factor_grace where user_id = $1")
    private static let moderations = Statement.write(
        "erase moderators of bans", "update ban set banned_by = null where banned_by = $1")
    private static let bots = Statement.write(
        "erase makers of bots", "update bot set created_by = null where created_by = $1")
    private static let disown = Statement.write(
        "disown channels", "update channel set owner = null where workspace = $1 and owner = $2 and not is_default")

    /// The first workspaces that a user is a member of.
    func memberships(of user: UserID, limit: Int) async throws -> [WorkspaceID] {
        try await database.query(Self.memberships, user, limit).map { row throws(PostgresError) in try row.next() }
    }

    /// The workspaces that a user owns and that have other members.
    func shared(ownedBy user: UserID) async throws -> [WorkspaceID] {
        try await database.query(Self.shared, user).map { row throws(PostgresError) in try row.next() }
    }

    /// The first of the other members by joining; nil if the user is the only member.
    func successor(
        of user: UserID, in workspace: WorkspaceID, _ transaction: PostgresTransaction
    ) async throws -> UserID? {
        try await transaction.query(Self.successor, workspace, user).first { row throws(PostgresError) in
            try row.next()
        }
    }

    /// Erases rows outside of memberships: bans, requests, invitations by and to the user, and the origin of entries of the audit log.
    func erase(_ user: UserID, invitedAt addresses: [String]) async throws {
        try await database.execute(Self.bans, user)
        try await database.execute(Self.moderations, user)
        try await database.execute(Self.requests, user)
        try await database.execute(Self.invitations, user)
        try await database.execute(Self.recipients, addresses)
        try await database.execute(Self.secondFactor, user)
        try await database.execute(Self.graces, user)
        try await database.execute(Self.bots, user)
        try await AuditStore(database: database).forget(user)
    }

    /// Leaves the channels of a user without an owner, in a workspace that has none.
    func disown(_ user: UserID, in workspace: WorkspaceID, _ transaction: PostgresTransaction) async throws {
        try await transaction.execute(Self.disown, workspace, user)
    }
}
