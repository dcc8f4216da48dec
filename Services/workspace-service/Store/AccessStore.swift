import Contract
import Postgres
import Wire

/// Queries the access of users.
struct AccessStore: Sendable {
    let database: PostgresPool

    private static let channels = Statement.read(
        "access to channels",
        """
        select c.id, c.workspace, c.name, c.is_default, coalesce(c.owner = $1, false), cm.user_id is not null, w.version,
            cm.joined_at
        from channel c
        join workspace w on w.id = c.workspace
        join member m on m.workspace = c.workspace and m.user_id = $1 and m.locked_out_at is null
        left join channel_member cm on cm.channel = c.id and cm.user_id = $1
        where c.id = any($2::bigint[]) and (m.role <> 'guest' or cm.user_id is not null)
        """)
    private static let byName = Statement.read(
        "access to channel by name",
        """
        select c.id, c.workspace, c.name, c.is_default, coalesce(c.owner = $1, false), cm.user_id is not null, w.version,
            cm.joined_at
        from channel c
        join workspace w on w.id = c.workspace
        join member m on m.workspace = c.workspace and m.user_id = $1 and m.locked_out_at is null
        left join channel_member cm on cm.channel = c.id and cm.user_id = $1
        where c.workspace = $2 and c.name_key = $3 and (m.role <> 'guest' or cm.user_id is not null)
        """)
    private static let mine = Statement.read(
        "channels of user",
        """
        select c.id, c.workspace, c.name, c.is_default, coalesce(c.owner = $1, false), true, w.version,
            cm.joined_at
        from channel_member cm
        join channel c on c.id = cm.channel
        join workspace w on w.id = c.workspace
        where cm.user_id = $1 and ($2::bigint is null or cm.workspace = $2)
            and not exists (
                select from member l
                where l.workspace = cm.workspace and l.user_id = $1 and l.locked_out_at is not null
            )
        order by c.id
        """)
    private static let visible = Statement.read(
        "visible channels of workspace",
        """
        select c.id, c.workspace, c.name, c.is_default, coalesce(c.owner = $1, false), cm.user_id is not null, w.version,
            cm.joined_at
        from channel c
        join workspace w on w.id = c.workspace
        join member m on m.workspace = c.workspace and m.user_id = $1 and m.locked_out_at is null
        left join channel_member cm on cm.channel = c.id and cm.user_id = $1
        where c.workspace = $2 and (m.role <> 'guest' or cm.user_id is not null) order by c.id
        """)
    private static let workspaces = Statement.read(
        "access to workspaces",
        """
        select w.id, case when w.owner = $1 then 'owner' else m.role end, w.version
        from workspace w join member m on m.workspace = w.id and m.user_id = $1 and m.locked_out_at is null
        where w.id = any($2::bigint[])
        """)

    private static let covers = Statement.read(
        "access to covers",
        """
        select asked.path from unnest($1::text[]) as asked (path) where exists (
            select from workspace w join member m on m.workspace = w.id where w.image = asked.path and m.user_id = $2
            union all
            select from channel c join member m on m.workspace = c.workspace
            where c.image = asked.path and m.user_id = $2 and m.locked_out_at is null and (
                m.role <> 'guest'
                or exists (select from channel_member entered where entered.channel = c.id and entered.user_id = $2)
            )
            union all
            select from unused_cover u join member m on m.workspace = u.workspace
            where u.path = asked.path and u.is_replaced and m.user_id = $2 and (
                u.channel = 0
                or m.locked_out_at is null and (
                    m.role <> 'guest'
                    or exists (
                        select from channel_member entered
                        where entered.channel = u.channel and entered.user_id = $2
                    )
                )
            )
        )
        """)
    private static let members = Statement.read(
        "page of channel members",
        """
        select c.user_id from channel_member c
        where c.channel = $1 and c.user_id > $2 and not exists (
            select from member l
            where l.workspace = c.workspace and l.user_id = c.user_id and l.locked_out_at is not null
        )
        order by c.user_id limit $3
        """)
    private static let workspaceMembers = Statement.read(
        "page of workspace members",
        "select user_id from member where workspace = $1 and user_id > $2 order by user_id limit $3")
    private static let workspaceMembersSeen = Statement.read(
        "page of workspace members seen",
        """
        select m.user_id from member m join member viewer on viewer.workspace = m.workspace and viewer.user_id = $4
        where m.workspace = $1 and m.user_id > $2 and (
            viewer.role <> 'guest' or m.user_id = $4 or m.user_id in (
                select theirs.user_id from channel_member mine
                join channel_member theirs on theirs.channel = mine.channel
                where mine.user_id = $4 and mine.workspace = $1
            )
        )
        order by m.user_id limit $3
        """)
    private static let memberships = Statement.read(
        "channels of users",
        """
        select c.user_id, array_agg(c.channel order by c.channel) from channel_member c
        where c.user_id = any($1::bigint[]) and not exists (
            select from member l
            where l.workspace = c.workspace and l.user_id = c.user_id and l.locked_out_at is not null
        )
        group by c.user_id order by c.user_id
        """)
    private static let acquaintances = Statement.read(
        "acquaintances",
        """
        select distinct theirs.user_id from member mine
        join member theirs on theirs.workspace = mine.workspace
        where mine.user_id = $1 and mine.locked_out_at is null and theirs.user_id = any($2::bigint[]) and ($3::bigint is null or mine.workspace = $3)
            and (mine.role <> 'guest' or exists (
                select from channel_member my_channel
                join channel_member their_channel on their_channel.channel = my_channel.channel
                where my_channel.user_id = $1 and my_channel.workspace = mine.workspace
                    and their_channel.user_id = theirs.user_id
            ))
        """)

    /// The cover images of workspaces and channels that the user can see.
    func visible(covers paths: [String], to user: UserID) async throws -> [String] {
        try await database.query(Self.covers, paths, user).map { row throws(PostgresError) in try row.next() }
    }

    func channels(_ ids: [ChannelID], for user: UserID) async throws -> [ChannelAccess] {
        if ids.isEmpty { return [] }
        return try await database.query(Self.channels, user, ids).map(ChannelAccess.init(row:))
    }

    func channel(named name: String, of workspace: WorkspaceID, for user: UserID) async throws -> ChannelAccess? {
        try await database.query(Self.byName, user, workspace, name.caselessKey).first(ChannelAccess.init(row:))
    }

    /// The channels that the user is a member of, in one workspace or in all.
    func channels(of user: UserID, in workspace: WorkspaceID?) async throws -> [ChannelAccess] {
        try await database.query(Self.mine, user, workspace).map(ChannelAccess.init(row:))
    }

    /// The channels of a workspace that the user can see, members or not.
    func channels(of workspace: WorkspaceID, visibleTo user: UserID) async throws -> [ChannelAccess] {
        try await database.query(Self.visible, user, workspace).map(ChannelAccess.init(row:))
    }

    func workspaces(_ ids: [WorkspaceID], for user: UserID) async throws -> [WorkspaceAccess] {
        if ids.isEmpty { return [] }
        return try await database.query(Self.workspaces, user, ids).map { row throws(PostgresError) in
            let id: WorkspaceID = try row.next()
            let role = WorkspaceRole(rawValue: try row.next()) ?? .outsider
            return WorkspaceAccess(
                id: id, memberRole: role.memberRole, isModerator: Policy.allows(.moderate, role),
                version: try row.next())
        }
    }

    /// The members of a channel in the order of their ids, from the first one after `after`.
    func members(of channel: ChannelID, after: Int64, limit: Int) async throws -> [UserID] {
        try await database.query(Self.members, channel, after, limit)
            .map { row throws(PostgresError) in try row.next() }
    }

    /// The members of a workspace in the order of their ids, from the first one after `after`.
    ///
    /// - Parameter viewer: only those that this member sees; nil for all.
    func members(
        of workspace: WorkspaceID, seenBy viewer: UserID?, after: Int64, limit: Int
    ) async throws -> [UserID] {
        let rows =
            if let viewer {
                try await database.query(Self.workspaceMembersSeen, workspace, after, limit, viewer)
            } else {
                try await database.query(Self.workspaceMembers, workspace, after, limit)
            }
        return try rows.map { row throws(PostgresError) in try row.next() }
    }

    /// The channels of each user in all workspaces; users in no channel are missing.
    func channels(of users: [UserID]) async throws -> [MembershipsReply.Membership] {
        try await database.query(Self.memberships, users).map { row throws(PostgresError) in
            MembershipsReply.Membership(user: try row.next(), channels: try row.next())
        }
    }

    /// Those of `others` that `user` sees in a workspace, or in any.
    func acquaintances(
        of user: UserID, among others: [UserID], in workspace: WorkspaceID?
    ) async throws -> [UserID] {
        try await database.query(Self.acquaintances, user, others, workspace)
            .map { row throws(PostgresError) in try row.next() }
    }
}

extension ChannelAccess {
    /// Reads the columns id, workspace, name, is_default, is owner, is member, version, joined_at.
    fileprivate init(row: inout Row) throws(PostgresError) {
        let id: ChannelID = try row.next()
        let workspace: WorkspaceID = try row.next()
        let name: String = try row.next()
        let isDefault: Bool = try row.next()
        let isOwner: Bool = try row.next()
        let isMember: Bool = try row.next()
        self.init(
            id: id, workspace: workspace, name: name, role: isOwner ? .owner : isMember ? .member : .visible,
            isDefault: isDefault, version: try row.next(), joinedAt: try row.next())
    }
}
