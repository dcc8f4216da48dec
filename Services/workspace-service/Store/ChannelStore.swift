import Contract
import Postgres
import Wire

/// The table of channels.
struct ChannelStore: Sendable {
    let database: PostgresPool

    private static let byID = Statement.read(
        "channel by id",
        """
        select id, workspace, name, description, image, owner, is_default, created_at
        from channel where id = $2 and workspace = $1
        """)
    private static let byName = Statement.read(
        "channel by name",
        """
        select id, workspace, name, description, image, owner, is_default, created_at
        from channel where workspace = $1 and name_key = $2
        """)
    private static let byDefault = Statement.read(
        "default channel",
        """
        select id, workspace, name, description, image, owner, is_default, created_at
        from channel where workspace = $1 and is_default
        """)
    private static let all = Statement.read(
        "channels of workspace",
        """
        select id, workspace, name, description, image, owner, is_default, created_at
        from channel where workspace = $1 and (created_at, id) > ($2, $3) order by created_at, id limit $4
        """)
    private static let mine = Statement.read(
        "channels of member",
        """
        select c.id, c.workspace, c.name, c.description, c.image, c.owner, c.is_default, c.created_at
        from channel_member m join channel c on c.id = m.channel
        where m.user_id = $5 and m.workspace = $1 and (c.created_at, c.id) > ($2, $3)
            and not exists (
                select from member l where l.workspace = $1 and l.user_id = $5 and l.locked_out_at is not null
            )
        order by c.created_at, c.id limit $4
        """)
    private static let counts = Statement.read(
        "count channels",
        "select count(*), count(*) filter (where owner = $2 and not is_default) from channel where workspace = $1")
    private static let insert = Statement.write(
        "insert channel",
        """
        insert into channel (workspace, name, name_key, description, image, owner, is_default, created_at)
        values ($1, $2, $3, $4, $5, $6, $7, $8)
        returning id, workspace, name, description, image, owner, is_default, created_at
        """)
    private static let edit = Statement.write(
        "edit channel",
        """
        update channel set name = coalesce($2, name), name_key = coalesce($3, name_key),
            description = coalesce($4, description), image = coalesce($5, image)
        where id = $1
        returning id, workspace, name, description, image, owner, is_default, created_at
        """)
    private static let setOwner = Statement.write(
        "set channel owner",
        """
        update channel set owner = $2 where id = $1
        returning id, workspace, name, description, image, owner, is_default, created_at
        """)
    private static let setDefaultOwner = Statement.write(
        "set default channel owner",
        """
        update channel set owner = $2 where workspace = $1 and is_default
        returning id, workspace, name, description, image, owner, is_default, created_at
        """)
    private static let handOver = Statement.write(
        "hand channels over",
        """
        with moved as (
            update channel set owner = $3 where workspace = $1 and owner = $2 and not is_default
            returning id, workspace, name, description, image, owner, is_default, created_at
        ), entered as (
            insert into channel_member (channel, user_id, workspace, joined_at)
            select id, $3, workspace, $4 from moved on conflict do nothing
            returning channel
        )
        select moved.*, entered.channel is not null from moved left join entered on entered.channel = moved.id
        order by moved.id
        """)
    private static let ownerless = Statement.read(
        "some channels have no owner", "select exists (select from channel where workspace = $1 and owner is null)")
    private static let delete = Statement.write("delete channel", "delete from channel where id = $1")

    /// The channel of a workspace that the reference names.
    func find(_ reference: ChannelReference, of workspace: WorkspaceID) async throws -> Channel? {
        try await find(reference, of: workspace, in: database)
    }

    /// The same within a transaction.
    func find(
        _ reference: ChannelReference, of workspace: WorkspaceID, in queryable: some Queryable
    ) async throws -> Channel? {
        switch reference {
        case .id(let id):
            try await queryable.query(Self.byID, workspace, id).first(Channel.init(row:))
        case .name(let name):
            try await queryable.query(Self.byName, workspace, name.caselessKey).first(Channel.init(row:))
        }
    }

    /// The channel that every member of a workspace is in.
    func findDefault(of workspace: WorkspaceID, in transaction: PostgresTransaction) async throws -> Channel? {
        try await transaction.query(Self.byDefault, workspace).first(Channel.init(row:))
    }

    /// A page of all channels, oldest first.
    func list(_ workspace: WorkspaceID, _ page: Page) async throws -> [Channel] {
        try await database.query(Self.all, workspace, page.moment, page.id, page.limit).map(Channel.init(row:))
    }

    /// A page of the channels that the user is a member of, oldest first.
    func list(_ workspace: WorkspaceID, of user: UserID, _ page: Page) async throws -> [Channel] {
        try await database.query(Self.mine, workspace, page.moment, page.id, page.limit, user)
            .map(Channel.init(row:))
    }

    /// Whether a channel has lost its owner: to an erasure or a removal while nobody owned the workspace.
    func someHaveNoOwner(in workspace: WorkspaceID) async throws -> Bool {
        try await database.query(Self.ownerless, workspace).value()
    }

    /// Counts the channels of a workspace, and those that the user owns.
    func counts(
        _ workspace: WorkspaceID, ownedBy user: UserID, in transaction: PostgresTransaction
    ) async throws -> ChannelCounts {
        try await transaction.query(Self.counts, workspace, user).only { row throws(PostgresError) in
            ChannelCounts(
                ofWorkspace: Int(try row.next(as: Int64.self)), ofOwner: Int(try row.next(as: Int64.self)))
        }
    }

    /// Creates a channel. Its owner must become a member in the same transaction. Throws `Failure.nameTaken`.
    func insert(
        _ workspace: WorkspaceID, name: String, description: String?, image: String?, owner: UserID?,
        isDefault: Bool = false, at now: Timestamp, in transaction: PostgresTransaction
    ) async throws -> Channel {
        try await rejectingTakenName {
            try await transaction.query(
                Self.insert, workspace, name, name.caselessKey, description, image, owner, isDefault, now.milliseconds
            ).only(Channel.init(row:))
        }
    }

    /// Changes the values that are not nil. Throws `Failure.nameTaken`.
    func edit(
        _ id: ChannelID, name: String?, description: String?, image: String?, in transaction: PostgresTransaction
    ) async throws -> Channel {
        try await rejectingTakenName {
            try await transaction.query(Self.edit, id, name, name?.caselessKey, description, image)
                .only(Channel.init(row:))
        }
    }

    func setOwner(_ owner: UserID, of id: ChannelID, in transaction: PostgresTransaction) async throws -> Channel {
        try await transaction.query(Self.setOwner, id, owner).only(Channel.init(row:))
    }

    /// Sets the owner of the default channel, always the workspace's owner, and returns the channel.
    func setDefaultOwner(
        _ owner: UserID, of workspace: WorkspaceID, in transaction: PostgresTransaction
    ) async throws -> Channel? {
        try await transaction.query(Self.setDefaultOwner, workspace, owner).first(Channel.init(row:))
    }

    /// Makes `newOwner` the owner of all channels of one owner, except the default channel, and a member of them.
    ///
    /// - Returns: the channels, each with whether the new owner was no member of it before.
    func handOver(
        ownedBy owner: UserID, in workspace: WorkspaceID, to newOwner: UserID, at now: Timestamp,
        in transaction: PostgresTransaction
    ) async throws -> [(channel: Channel, isEntered: Bool)] {
        try await transaction.query(Self.handOver, workspace, owner, newOwner, now.milliseconds).map {
            row throws(PostgresError) in (try Channel(row: &row), try row.next())
        }
    }

    func delete(_ id: ChannelID, in transaction: PostgresTransaction) async throws {
        try await transaction.execute(Self.delete, id)
    }
}

extension Channel {
    /// Reads the columns id, workspace, name, description, image, owner, is_default, created_at.
    init(row: inout Row) throws(PostgresError) {
        id = try row.next()
        workspace = try row.next()
        name = try row.next()
        description = try row.next()
        image = try row.next()
        owner = try row.next()
        isDefault = try row.next()
        createdAt = try row.next()
    }
}
