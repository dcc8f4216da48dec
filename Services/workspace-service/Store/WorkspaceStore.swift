import Postgres
import Wire

/// The table of workspaces.
struct WorkspaceStore: Sendable {
    let database: PostgresPool

    private static let byID = Statement.read(
        "workspace by id",
        "select id, name, description, image, owner, created_at, version from workspace where id = $1")
    private static let oldestOfUser = Statement.read(
        "oldest workspaces of user",
        """
        select w.id, w.name, w.description, w.image, w.owner, w.created_at, w.version
        from member m join workspace w on w.id = m.workspace
        where m.user_id = $1 and (w.created_at, w.id) > ($2, $3)
        order by w.created_at, w.id limit $4
        """)
    private static let newestOfUser = Statement.read(
        "newest workspaces of user",
        """
        select w.id, w.name, w.description, w.image, w.owner, w.created_at, w.version
        from member m join workspace w on w.id = m.workspace
        where m.user_id = $1 and (w.created_at, w.id) < ($2, $3)
        order by w.created_at desc, w.id desc limit $4
        """)
    private static let lock = Statement.write(
        "lock workspace",
        """
        update workspace set version = version + 1 where id = $1
        returning id, name, description, image, owner, created_at, version
        """)
    private static let lockOwner = Statement.write(
        "lock owner", "select pg_advisory_xact_lock(hashtextextended('owner ' || $1::bigint, 0))")
    private static let countOwned = Statement.read(
        "count workspaces of owner",
        """
        select count(*) from member m join workspace w on w.id = m.workspace and w.owner = m.user_id
        where m.user_id = $1
        """)
    private static let insert = Statement.write(
        "insert workspace",
        """
        insert into workspace (name, name_key, description, image, owner, created_at) values ($1, $2, $3, $4, $5, $6)
        returning id, name, description, image, owner, created_at, version
        """)
    private static let insertSlug = Statement.write(
        "insert system workspace",
        """
        insert into workspace (slug, name, name_key, description, image, created_at) values ($1, $2, $3, '', $4, $5)
        on conflict do nothing
        returning id, name, description, image, owner, created_at, version
        """)
    private static let bySlugs = Statement.read(
        "workspaces by slug", "select slug, id from workspace where slug = any($1::text[]) order by id")
    private static let edit = Statement.write(
        "edit workspace",
        """
        update workspace set name = coalesce($2, name), name_key = coalesce($3, name_key),
            description = coalesce($4, description), image = coalesce($5, image)
        where id = $1
        returning id, name, description, image, owner, created_at, version
        """)
    private static let setOwner = Statement.write(
        "set workspace owner",
        """
        update workspace set owner = $2 where id = $1
        returning id, name, description, image, owner, created_at, version
        """)
    /// The bots go with the workspace, and with them their exemption from second factors, which names no workspace.
    private static let delete = Statement.write(
        "delete workspace",
        """
        with exempted as (
            delete from second_factor f using bot b where b.workspace = $1 and f.user_id = b.user_id
        )
        delete from workspace where id = $1
        """)

    /// Runs `body` in a transaction that may take longer than the pool's deadline.
    func transaction<Result>(
        within deadline: Duration, attempts: Int, _ body: (PostgresTransaction) async throws -> Result
    ) async throws -> Result {
        try await database.within(deadline).transaction(attempts: attempts, body)
    }

    func find(_ id: WorkspaceID) async throws -> Workspace? {
        try await database.query(Self.byID, id).first(Workspace.init(row:))
    }

    /// A page of the user's workspaces, oldest or newest first.
    func list(
        of user: UserID, isOldestFirst: Bool, after place: (moment: Int64, id: Int64)?, limit: Int
    ) async throws -> [Workspace] {
        let page = isOldestFirst ? Page(after: place, limit: limit) : Page(before: place, limit: limit)
        return try await database.query(
            isOldestFirst ? Self.oldestOfUser : Self.newestOfUser, user, page.moment, page.id, page.limit
        ).map(Workspace.init(row:))
    }

    /// Raises the version and locks the workspace against other changes until the transaction ends.
    func lock(_ id: WorkspaceID, in transaction: PostgresTransaction) async throws -> Workspace? {
        try await transaction.query(Self.lock, id).first(Workspace.init(row:))
    }

    /// Counts the workspaces that a user owns, and makes other transactions that count them wait until this one ends.
    func lockedCount(ownedBy user: UserID, in transaction: PostgresTransaction) async throws -> Int {
        var batch = PostgresBatch()
        try batch.add(Self.lockOwner, user)
        // A separate statement sees the commits that were made during the wait for the lock.
        try batch.add(Self.countOwned, user)
        return Int(try await transaction.run(batch)[1].value(as: Int64.self))
    }

    /// Creates a workspace. Its owner must become a member in the same transaction. Throws `Failure.nameTaken`.
    func insert(
        name: String, description: String, image: String, owner: UserID, at now: Timestamp,
        in transaction: PostgresTransaction
    ) async throws -> Workspace {
        try await rejectingTakenName {
            try await transaction.query(
                Self.insert, name, name.caselessKey, description, image, owner, now.milliseconds
            ).only(Workspace.init(row:))
        }
    }

    /// Creates a system workspace; returns nil if a workspace has this slug or name.
    func insert(
        slug: String, name: String, image: String, at now: Timestamp, in transaction: PostgresTransaction
    ) async throws -> Workspace? {
        try await transaction.query(
            Self.insertSlug, slug, name, name.caselessKey, image, now.milliseconds
        ).first(Workspace.init(row:))
    }

    /// System workspaces by slug, in the order of creation.
    func find(slugs: [String]) async throws -> [(slug: String, id: WorkspaceID)] {
        try await find(slugs: slugs, in: database)
    }

    /// The same within a transaction.
    func find(slugs: [String], in queryable: some Queryable) async throws -> [(slug: String, id: WorkspaceID)] {
        try await queryable.query(Self.bySlugs, slugs).map { row throws(PostgresError) in
            (try row.next(), try row.next())
        }
    }

    /// Changes the values that are not nil. Throws `Failure.nameTaken`.
    func edit(
        _ id: WorkspaceID, name: String?, description: String?, image: String?, in transaction: PostgresTransaction
    ) async throws -> Workspace {
        try await rejectingTakenName {
            try await transaction.query(Self.edit, id, name, name?.caselessKey, description, image)
                .only(Workspace.init(row:))
        }
    }

    func setOwner(
        _ owner: UserID, of id: WorkspaceID, in transaction: PostgresTransaction
    ) async throws -> Workspace {
        try await transaction.query(Self.setOwner, id, owner).only(Workspace.init(row:))
    }

    func delete(_ id: WorkspaceID, in transaction: PostgresTransaction) async throws {
        try await transaction.execute(Self.delete, id)
    }
}

extension Workspace {
    /// Reads the columns id, name, description, image, owner, created_at, version.
    init(row: inout Row) throws(PostgresError) {
        id = try row.next()
        name = try row.next()
        description = try row.next()
        image = try row.next()
        owner = try row.next()
        createdAt = try row.next()
        version = try row.next()
    }
}
