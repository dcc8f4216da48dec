import Contract
import Postgres
import ServiceKit
import Wire

/// The memberships and properties of a user, for the export of their data.
struct ExportStore: Sendable {
    private let tables: ExportTables

    private static let memberships = Statement.read(
        "exported memberships",
        """
        select m.workspace::text, json_build_object(
            'workspace_id', m.workspace::text, 'name', w.name, 'joinedAt', export_time(m.joined_at),
            'role', case when w.owner = m.user_id then 'owner' else m.role end,
            'owner', w.owner is not distinct from m.user_id)::text, null::text
        from member m join workspace w on w.id = m.workspace
        where m.user_id = $1 and m.workspace > coalesce(nullif($2::text, ''), '0')::bigint order by m.workspace limit $3
        """)
    private static let channels = Statement.read(
        "exported channels",
        """
        select m.channel::text, json_build_object(
            'channel_id', m.channel::text, 'workspace_id', m.workspace::text, 'name', c.name,
            'joinedAt', export_time(m.joined_at), 'owner', c.owner is not distinct from m.user_id)::text, null::text
        from channel_member m join channel c on c.id = m.channel
        where m.user_id = $1 and m.channel > coalesce(nullif($2::text, ''), '0')::bigint order by m.channel limit $3
        """)
    /// Owners are members, so the index of members finds their workspaces.
    private static let ownWorkspaces = Statement.read(
        "exported own workspaces",
        """
        select w.id::text, json_build_object(
            'workspace_id', w.id::text, 'name', w.name, 'description', w.description, 'coverImage', w.image,
            'createdAt', export_time(w.created_at))::text, null::text
        from member m join workspace w on w.id = m.workspace and w.owner = m.user_id
        where m.user_id = $1 and w.id > coalesce(nullif($2::text, ''), '0')::bigint order by w.id limit $3
        """)
    private static let ownChannels = Statement.read(
        "exported own channels",
        """
        select c.id::text, json_build_object(
            'channel_id', c.id::text, 'workspace_id', c.workspace::text, 'name', c.name, 'description', c.description,
            'coverImage', c.image, 'createdAt', export_time(c.created_at))::text, null::text
        from channel_member m join channel c on c.id = m.channel and c.owner = m.user_id
        where m.user_id = $1 and c.id > coalesce(nullif($2::text, ''), '0')::bigint order by c.id limit $3
        """)
    private static let bans = Statement.read(
        "exported bans",
        """
        select b.workspace::text, json_build_object(
            'workspace_id', b.workspace::text, 'name', w.name, 'bannedAt', export_time(b.banned_at))::text, null::text
        from ban b join workspace w on w.id = b.workspace
        where b.user_id = $1 and b.workspace > coalesce(nullif($2::text, ''), '0')::bigint order by b.workspace limit $3
        """)
    /// A deletion takes the moderator from the bans of others.
    private static let madeBans = Statement.read(
        "exported bans of others",
        """
        select b.workspace || ',' || b.user_id, json_build_object(
            'workspace_id', b.workspace::text, 'name', w.name, 'user_id', b.user_id::text,
            'bannedAt', export_time(b.banned_at))::text, null::text
        from ban b join workspace w on w.id = b.workspace
        where b.banned_by = $1 and (b.workspace, b.user_id) > (
            coalesce(nullif(split_part($2::text, ',', 1), ''), '0')::bigint,
            coalesce(nullif(split_part($2::text, ',', 2), ''), '0')::bigint)
        order by b.workspace, b.user_id limit $3
        """)
    private static let requests = Statement.read(
        "exported requests to join",
        """
        select r.workspace::text, json_build_object(
            'workspace_id', r.workspace::text, 'name', w.name, 'text', r.text, 'createdAt', export_time(r.created_at),
            'declinedAt', export_time(r.declined_at))::text, null::text
        from join_request r join workspace w on w.id = r.workspace
        where r.user_id = $1 and r.workspace > coalesce(nullif($2::text, ''), '0')::bigint order by r.workspace limit $3
        """)
    private static let graces = Statement.read(
        "exported graces of second factor",
        """
        select g.workspace::text, json_build_object(
            'workspace_id', g.workspace::text, 'name', w.name, 'begunAt', export_time(g.begun_at))::text, null::text
        from second_factor_grace g join workspace w on w.id = g.workspace
        where g.user_id = $1 and g.workspace > coalesce(nullif($2::text, ''), '0')::bigint order by g.workspace limit $3
        """)
    private static let invitations = Statement.read(
        "exported invitations",
        """
        select i.id::text, json_build_object(
            'invitation_id', i.id::text, 'workspace_id', i.workspace::text, 'kind', i.kind, 'role', i.role,
            'createdAt', export_time(i.created_at))::text, null::text
        from invitation i
        where i.created_by = $1 and i.id > coalesce(nullif($2::text, ''), '0')::bigint order by i.id limit $3
        """)

    private static let bots = Statement.read(
        "exported bots",
        """
        select b.user_id::text, json_build_object(
            'bot_id', b.user_id::text, 'workspace_id', b.workspace::text, 'createdAt', export_time(b.created_at))::text,
            null::text
        from bot b
        where b.created_by = $1 and b.user_id > coalesce(nullif($2::text, ''), '0')::bigint order by b.user_id limit $3
        """)

    /// The origins of the user's actions. A deletion takes them from the audit log.
    private static let auditEntries = Statement.read(
        "exported audit entries",
        """
        select e.id::text, json_build_object(
            'workspace_id', e.workspace::text, 'at', export_time(e.at), 'action', e.action, 'address', e.address,
            'app', e.app, 'session_id', e.session::text)::text, null::text
        from audit.entry e
        where e.actor = $1 and e.address is not null and e.id > coalesce(nullif($2::text, ''), '0')::bigint
        order by e.id limit $3
        """)

    init(database: PostgresPool) {
        tables = ExportTables(
            [
                ExportSection("memberships", Self.memberships), ExportSection("channels", Self.channels),
                ExportSection("ownWorkspaces", Self.ownWorkspaces), ExportSection("ownChannels", Self.ownChannels),
                ExportSection("bans", Self.bans), ExportSection("madeBans", Self.madeBans),
                ExportSection("requests", Self.requests),
                ExportSection("secondFactorGraces", Self.graces), ExportSection("bots", Self.bots),
                ExportSection("invitations", Self.invitations),
                ExportSection("auditEntries", Self.auditEntries),
            ], in: database)
    }

    /// A page of the user's rows.
    func page(of user: UserID, after cursor: String?) async throws -> ExportPage {
        try await tables.page(of: user, after: cursor)
    }
}
