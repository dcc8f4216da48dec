import Contract
import Postgres
import Wire

/// Workspaces as operators see them.
struct OperatorStore: Sendable {
    let database: PostgresPool

    private static let find = Statement.read(
        "workspace for operator",
        """
        select w.id, w.name, w.owner, w.slug, w.created_at,
            (select count(*) from member m where m.workspace = w.id),
            (select count(*) from channel c where c.workspace = w.id)
        from workspace w where w.id = $1
        """)
    private static let search = Statement.read(
        "find workspaces for operator",
        """
        select w.id, w.name, w.owner, w.slug, w.created_at,
            (select count(*) from member m where m.workspace = w.id),
            (select count(*) from channel c where c.workspace = w.id)
        from workspace w
        where w.id = $1 or position($2 in w.name_key) > 0 or w.owner = $1 and $1 > 0
        order by w.id = $1 desc, w.name_key = $2 desc, w.id limit $3
        """)
    private static let ofUser = Statement.read(
        "workspaces of user for operator",
        """
        select w.id, w.name, case when w.owner = m.user_id then 'owner' else m.role end, m.joined_at
        from member m join workspace w on w.id = m.workspace where m.user_id = $1 order by m.joined_at, w.id limit $2
        """)
    private static let members = Statement.read(
        "members for operator",
        """
        select m.user_id, case when w.owner = m.user_id then 'owner' else m.role end, m.joined_at
        from member m join workspace w on w.id = m.workspace
        where m.workspace = $1 and ($2::text is null or case when w.owner = m.user_id then 'owner' else m.role end = $2)
        order by w.owner is distinct from m.user_id, m.role = 'guest', m.role <> 'admin', m.joined_at, m.user_id
        limit $3
        """)

    func find(_ id: WorkspaceID) async throws -> OperatorWorkspace? {
        try await database.query(Self.find, id).first(OperatorWorkspace.init(row:))
    }

    /// The workspaces with this id, with the text in their name, or owned by the user of this id.
    func search(_ text: String, limit: Int) async throws -> [OperatorWorkspace] {
        try await database.query(Self.search, Int64(text) ?? 0, text.caselessKey, limit)
            .map(OperatorWorkspace.init(row:))
    }

    /// The memberships of a user, oldest first.
    func memberships(of user: UserID, limit: Int) async throws -> [OperatorWorkspace.Membership] {
        try await database.query(Self.ofUser, user, limit).map { row throws(PostgresError) in
            OperatorWorkspace.Membership(
                workspace: try row.next(), name: try row.next(), role: try row.next(), joinedAt: try row.next())
        }
    }

    /// The members, those with more rights first.
    func members(
        of id: WorkspaceID, only role: String?, limit: Int
    ) async throws -> [(user: UserID, role: String, joinedAt: Timestamp)] {
        try await database.query(Self.members, id, role, limit).map { row throws(PostgresError) in
            (try row.next(), try row.next(), try row.next())
        }
    }
}

extension OperatorWorkspace {
    /// Reads the columns of `find` and `search`.
    fileprivate init(row: inout Row) throws(PostgresError) {
        id = try row.next()
        name = try row.next()
        owner = try row.next()
        slug = try row.next()
        createdAt = try row.next()
        members = Int(try row.next(as: Int64.self))
        channels = Int(try row.next(as: Int64.self))
    }
}
