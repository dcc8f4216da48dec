import Contract
import Postgres
import Wire

/// The table of members of workspaces.
struct MemberStore: Sendable {
    let database: PostgresPool

    private static let place = Statement.read(
        "place in workspace",
        """
        select case when w.owner = m.user_id then 'owner' else m.role end, m.second_factor_due, m.locked_out_at is not null
        from member m join workspace w on w.id = m.workspace
        where m.workspace = $1 and m.user_id = $2
        """)
    /// A member that comes back after the end of their grace is locked out from the first moment on. The rule is
    /// applied to them again after the commit, because they may have turned a second factor on meanwhile.
    private static let add = Statement.write(
        "add member",
        """
        with grace as (
            select begun_at from second_factor_grace where workspace = $1 and user_id = $2
        ), required as (
            select greatest(
                second_factor_from, coalesce((select begun_at from grace), $3::bigint) + second_factor_grace) as due
            from workspace
            where id = $1 and second_factor_from is not null
                and not exists (select from second_factor where user_id = $2 and is_on)
        ), added as (
            insert into member (workspace, user_id, joined_at, role, grace_from, second_factor_due, locked_out_at)
            select $1, $2, $3::bigint, $4, (select begun_at from grace),
                (select due from required), (select $3::bigint from required where due <= $3::bigint)
            where not exists (select from ban where workspace = $1 and user_id = $2)
            on conflict do nothing
            returning workspace, user_id, locked_out_at
        ), entered as (
            insert into channel_member (channel, user_id, workspace, joined_at)
            select c.id, a.user_id, a.workspace, $3::bigint from added a join channel c on c.workspace = a.workspace
            where c.is_default and $4 <> 'guest'
        ), answered as (
            delete from join_request r using added a where r.workspace = a.workspace and r.user_id = a.user_id
        )
        select case
            when exists (select from added where locked_out_at is not null) then 'lockedOut'
            when exists (select from added) then 'added'
            when exists (select from ban where workspace = $1 and user_id = $2) then 'banned'
            else 'present'
        end
        """)
    /// Keeps when the grace of a member began, if the workspace requires a second factor. Bots need none.
    private static let remove = Statement.write(
        "remove member",
        """
        with gone as (
            delete from member where workspace = $1 and user_id = $2
            returning workspace, user_id, coalesce(grace_from, joined_at) as begun_at
        )
        insert into second_factor_grace (workspace, user_id, begun_at)
        select g.workspace, g.user_id, g.begun_at from gone g join workspace w on w.id = g.workspace
        where w.second_factor_from is not null
            and not exists (select from bot b where b.workspace = g.workspace and b.user_id = g.user_id)
        on conflict do nothing
        """)
    private static let list = Statement.read(
        "members of workspace",
        """
        select user_id, joined_at from member where workspace = $1 and (joined_at, user_id) > ($2, $3)
        order by joined_at, user_id limit $4
        """)
    /// The members that a guest sees: those of the guest's channels.
    private static let listForGuest = Statement.read(
        "members that guest sees",
        """
        select user_id, joined_at from member m
        where workspace = $1 and (joined_at, user_id) > ($2, $3) and (
            user_id = $5 or user_id in (
                select theirs.user_id from channel_member mine
                join channel_member theirs on theirs.channel = mine.channel
                where mine.user_id = $5 and mine.workspace = $1
            )
        )
        order by joined_at, user_id limit $4
        """)
    private static let meets = Statement.read(
        "guest meets member",
        """
        select exists (
            select from channel_member mine join channel_member theirs on theirs.channel = mine.channel
            where mine.workspace = $1 and mine.user_id = $2 and theirs.user_id = $3
        )
        """)
    private static let listWithRoles = Statement.read(
        "members with roles",
        """
        select m.user_id, case when w.owner = m.user_id then 'owner' else m.role end, m.joined_at
        from member m join workspace w on w.id = m.workspace
        where m.workspace = $1 and (m.joined_at, m.user_id) > ($2, $3)
            and ($5::text is null or case when w.owner = m.user_id then 'owner' else m.role end = $5)
        order by m.joined_at, m.user_id limit $4
        """)
    private static let setRole = Statement.write(
        "set role", "update member set role = $3 where workspace = $1 and user_id = $2")
    private static let enterDefaultChannel = Statement.write(
        "enter default channel",
        """
        insert into channel_member (channel, user_id, workspace, joined_at)
        select id, $2, workspace, $3 from channel where workspace = $1 and is_default on conflict do nothing
        """)
    private static let count = Statement.read("count members", "select count(*) from member where workspace = $1")
    private static let ownsChannels = Statement.read(
        "owns channels",
        "select exists (select from channel where workspace = $1 and owner = $2 and not is_default)")

    private static let isBot = Statement.read(
        "is bot", "select exists (select from bot where workspace = $1 and user_id = $2)")

    /// The role of a user that a call is about.
    func role(of user: UserID, in workspace: WorkspaceID) async throws -> WorkspaceRole {
        try await role(of: user, in: workspace, in: database)
    }

    /// The same within a transaction.
    func role(of user: UserID, in workspace: WorkspaceID, in queryable: some Queryable) async throws -> WorkspaceRole {
        try await place(of: user, in: workspace, in: queryable).role
    }

    /// The place of a user that makes a call.
    func place(of user: UserID, in workspace: WorkspaceID) async throws -> RoleInWorkspace {
        try await place(of: user, in: workspace, in: database)
    }

    /// The same within a transaction.
    func place(
        of user: UserID, in workspace: WorkspaceID, in queryable: some Queryable
    ) async throws -> RoleInWorkspace {
        try await queryable.query(Self.place, workspace, user).first { row throws(PostgresError) in
            RoleInWorkspace(
                role: WorkspaceRole(rawValue: try row.next()) ?? .outsider, secondFactorDue: try row.next(),
                isLockedOut: try row.next())
        } ?? .outside
    }

    /// Makes the user a member of the workspace and, except guests, of its default channel. The caller holds the lock of
    /// the workspace, so that a ban cannot be missed. A request of the user to join ends: approved after the user has
    /// left, it would bring them back.
    func add(
        _ user: UserID, to workspace: WorkspaceID, as role: WorkspaceRole = .member, at now: Timestamp,
        in transaction: PostgresTransaction
    ) async throws -> MemberAddition {
        let outcome = try await transaction.query(Self.add, workspace, user, now.milliseconds, role.rawValue)
            .value(as: String.self)
        return MemberAddition(rawValue: outcome) ?? .present
    }

    /// Gives a member another role than owner.
    func setRole(
        _ role: WorkspaceRole, of user: UserID, in workspace: WorkspaceID, _ transaction: PostgresTransaction
    ) async throws {
        try await transaction.execute(Self.setRole, workspace, user, role.rawValue)
    }

    /// Returns whether the user was not in the default channel before.
    func enterDefaultChannel(
        _ user: UserID, of workspace: WorkspaceID, at now: Timestamp, in transaction: PostgresTransaction
    ) async throws -> Bool {
        try await transaction.execute(Self.enterDefaultChannel, workspace, user, now.milliseconds) > 0
    }

    /// Removes the user from the workspace and all its channels. If the workspace requires a second factor, the user gets no
    /// new grace by coming back.
    func remove(_ user: UserID, from workspace: WorkspaceID, in transaction: PostgresTransaction) async throws {
        try await transaction.execute(Self.remove, workspace, user)
    }

    /// A page of the members in the order of joining.
    func list(_ workspace: WorkspaceID, _ page: Page) async throws -> [Membership] {
        try await database.query(Self.list, workspace, page.moment, page.id, page.limit).map(Membership.init(row:))
    }

    /// A page of the members that a guest sees, in the order of joining.
    func list(_ workspace: WorkspaceID, seenByGuest guest: UserID, _ page: Page) async throws -> [Membership] {
        try await database.query(Self.listForGuest, workspace, page.moment, page.id, page.limit, guest)
            .map(Membership.init(row:))
    }

    /// Whether a guest shares a channel with a member.
    func meets(_ guest: UserID, _ member: UserID, in workspace: WorkspaceID) async throws -> Bool {
        try await database.query(Self.meets, workspace, guest, member).value()
    }

    /// A page of the members with their roles, in the order of joining.
    ///
    /// - Parameter role: only members with this role; nil for all.
    func roles(_ workspace: WorkspaceID, only role: WorkspaceRole?, _ page: Page) async throws -> [MemberWithRole] {
        try await database.query(Self.listWithRoles, workspace, page.moment, page.id, page.limit, role?.rawValue)
            .map { row throws(PostgresError) in
                MemberWithRole(
                    user: try row.next(), role: WorkspaceRole(rawValue: try row.next()) ?? .member,
                    joinedAt: try row.next())
            }
    }

    func count(_ workspace: WorkspaceID, in transaction: PostgresTransaction) async throws -> Int {
        Int(try await transaction.query(Self.count, workspace).value(as: Int64.self))
    }

    /// Whether the member is a program.
    func isBot(_ user: UserID, in workspace: WorkspaceID, of queryable: some Queryable) async throws -> Bool {
        try await queryable.query(Self.isBot, workspace, user).value()
    }

    /// Whether the user owns a channel of the workspace, apart from the default channel.
    func ownsChannels(
        _ user: UserID, in workspace: WorkspaceID, of transaction: PostgresTransaction
    ) async throws -> Bool {
        try await transaction.query(Self.ownsChannels, workspace, user).value()
    }
}
