import Contract
import Postgres
import Wire

/// The table of members of workspaces.
struct MemberStore: Sendable {
    let database: PostgresPool

    private static let role = Statement.read(
        "role in workspace",
        """
        select coalesce(w.owner = m.user_id, false) from member m join workspace w on w.id = m.workspace
        where m.workspace = $1 and m.user_id = $2
        """)
    private static let add = Statement.write(
        "add member",
        """
        with added as (
            insert into member (workspace, user_id, joined_at) values ($1, $2, $3) on conflict do nothing
            returning workspace, user_id
        ), entered as (
            insert into channel_member (channel, user_id, workspace, joined_at)
            select c.id, a.user_id, a.workspace, $3 from added a join channel c on c.workspace = a.workspace
            where c.is_default
        )
        select count(*) from added
        """)
    private static let remove = Statement.write(
        "remove member", "delete from member where workspace = $1 and user_id = $2")
    private static let list = Statement.read(
        "members of workspace",
        """
        select user_id, joined_at from member where workspace = $1 and (joined_at, user_id) > ($2, $3)
        order by joined_at, user_id limit $4
        """)
    private static let count = Statement.read("count members", "select count(*) from member where workspace = $1")
    private static let ownsChannels = Statement.read(
        "owns channels",
        "select exists (select from channel where workspace = $1 and owner = $2 and not is_default)")

    func role(of user: UserID, in workspace: WorkspaceID) async throws -> WorkspaceRole {
        try await role(of: user, in: workspace, in: database)
    }

    /// The same within a transaction.
    func role(of user: UserID, in workspace: WorkspaceID, in queryable: some Queryable) async throws -> WorkspaceRole {
        let isOwner = try await queryable.query(Self.role, workspace, user)
            .first { row throws(PostgresError) in try row.next(as: Bool.self) }
        return isOwner.map { $0 ? .owner : .member } ?? .outsider
    }

    /// Makes the user a member of the workspace and of its default channel; returns false if the user already was one.
    func add(
        _ user: UserID, to workspace: WorkspaceID, at now: Timestamp, in transaction: PostgresTransaction
    ) async throws -> Bool {
        try await transaction.query(Self.add, workspace, user, now.milliseconds).value(as: Int64.self) > 0
    }

    /// Removes the user from the workspace and all its channels.
    func remove(_ user: UserID, from workspace: WorkspaceID, in transaction: PostgresTransaction) async throws {
        try await transaction.execute(Self.remove, workspace, user)
    }

    /// A page of the members in the order of joining.
    func list(_ workspace: WorkspaceID, _ page: Page) async throws -> [Membership] {
        try await database.query(Self.list, workspace, page.moment, page.id, page.limit).map(Membership.init(row:))
    }

    func count(_ workspace: WorkspaceID, in transaction: PostgresTransaction) async throws -> Int {
        Int(try await transaction.query(Self.count, workspace).value(as: Int64.self))
    }

    /// Whether the user owns a channel of the workspace, apart from the default channel.
    func ownsChannels(
        _ user: UserID, in workspace: WorkspaceID, of transaction: PostgresTransaction
    ) async throws -> Bool {
        try await transaction.query(Self.ownsChannels, workspace, user).value()
    }
}
