import Contract
import Postgres
import Wire

/// The table of members of channels.
struct ChannelMemberStore: Sendable {
    let database: PostgresPool

    private static let role = Statement.read(
        "role in channel",
        """
        select case when o.owner = w.user_id then 'owner' else w.role end, coalesce(c.owner = $2, false),
            m.user_id is not null
        from channel c
        join workspace o on o.id = c.workspace
        join member w on w.workspace = c.workspace and w.user_id = $2
        left join channel_member m on m.channel = c.id and m.user_id = $2
        where c.id = $1
        """)
    private static let add = Statement.write(
        "add channel member",
        """
        insert into channel_member (channel, user_id, workspace, joined_at) values ($1, $2, $3, $4)
        on conflict do nothing
        """)
    private static let remove = Statement.write(
        "remove channel member", "delete from channel_member where channel = $1 and user_id = $2")
    private static let others = Statement.read(
        "other channels of member",
        """
        select c.id, c.workspace, c.name, c.description, c.image, c.owner, c.is_default, c.created_at
        from channel_member m join channel c on c.id = m.channel
        where m.user_id = $2 and m.workspace = $1 and c.id <> all($3::bigint[]) order by c.id
        """)
    private static let list = Statement.read(
        "members of channel",
        """
        select user_id, joined_at from channel_member where channel = $1 and (joined_at, user_id) > ($2, $3)
        order by joined_at, user_id limit $4
        """)

    func place(
        of user: UserID, in channel: ChannelID, in transaction: PostgresTransaction
    ) async throws -> RoleInChannel {
        try await place(of: user, in: channel, queryable: transaction)
    }

    /// The same outside a transaction.
    func place(of user: UserID, in channel: ChannelID) async throws -> RoleInChannel {
        try await place(of: user, in: channel, queryable: database)
    }

    private func place(
        of user: UserID, in channel: ChannelID, queryable: some Queryable
    ) async throws -> RoleInChannel {
        try await queryable.query(Self.role, channel, user).first { row throws(PostgresError) in
            let role = WorkspaceRole(rawValue: try row.next()) ?? .outsider
            return RoleInChannel(role, isOwner: try row.next(), isMember: try row.next())
        } ?? .outside
    }

    /// Adds a member; returns false if the user already was one.
    func add(_ user: UserID, to channel: Channel, at now: Timestamp, in transaction: PostgresTransaction) async throws
        -> Bool
    {
        try await transaction.execute(Self.add, channel.id, user, channel.workspace, now.milliseconds) > 0
    }

    func remove(_ user: UserID, from channel: ChannelID, in transaction: PostgresTransaction) async throws {
        try await transaction.execute(Self.remove, channel, user)
    }

    /// The channels of a member that are not among `kept`.
    func channels(
        of user: UserID, in workspace: WorkspaceID, except kept: [ChannelID], _ transaction: PostgresTransaction
    ) async throws -> [Channel] {
        try await transaction.query(Self.others, workspace, user, kept).map(Channel.init(row:))
    }

    /// A page of the members in the order of joining.
    func list(_ channel: ChannelID, _ page: Page) async throws -> [Membership] {
        try await database.query(Self.list, channel, page.moment, page.id, page.limit).map(Membership.init(row:))
    }
}
