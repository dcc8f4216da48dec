import Contract
import Postgres
import Wire

/// The table of DMs: one for each pair of users and workspace.
struct DMStore: Sendable {
    let database: PostgresPool
    private let workspaces = KnownWorkspaces<DMID>()

    init(database: PostgresPool) { self.database = database }

    private static let open = Statement.write(
        "open dm",
        """
        insert into dm (workspace, low, high, created_at)
        select $1::bigint, $2::bigint, $3::bigint, $4::bigint
        where not exists (
            select from unnest(array[$2::bigint, $3::bigint]) as member (id)
            where (select count(*) from dm where low = member.id and workspace = $1 and not low_has_left)
                + (select count(*) from dm where high = member.id and workspace = $1 and not high_has_left) >= $5
        )
        on conflict on constraint dm_pair do nothing
        returning id, workspace, low, high, created_at, low_has_left, high_has_left
        """)
    private static let pair = Statement.read(
        "dm of pair",
        "select id, workspace, low, high, created_at, low_has_left, high_has_left from dm where workspace = $1 and low = $2 and high = $3"
    )
    private static let byIDs = Statement.read(
        "dms by id",
        """
        select id, workspace, low, high, created_at, low_has_left, high_has_left from dm
        where workspace = $3 and id = any($1::bigint[])
            and ((low = $2 and not low_has_left) or (high = $2 and not high_has_left))
        order by id
        """)
    private static let workspaces = Statement.read(
        "workspaces of dms", "select id, workspace from dm where id = any($1::bigint[])")
    private static let ofUser = Statement.read(
        "dms of user",
        """
        select id, workspace, low, high, created_at, low_has_left, high_has_left from dm
        where low = $1 and workspace = $2 and not low_has_left
        union all
        select id, workspace, low, high, created_at, low_has_left, high_has_left from dm
        where high = $1 and workspace = $2 and not high_has_left
        order by created_at, id
        """)
    private static let isMember = Statement.read(
        "member of dm", "select exists (select from dm where workspace = $1 and id = $2 and $3 in (low, high))")
    private static let written = Statement.read(
        "dms that user wrote in",
        """
        select w.id from unnest($1::bigint[]) as w (id)
        where exists (
            select from message m where m.workspace = $3 and m.kind = 2 and m.room = w.id and m.author = $2)
        """)
    private static let setLeft = Statement.write(
        "someone left or came back",
        """
        update dm set
            low_has_left = case when low = $2 and low_version < $4 then $3 else low_has_left end,
            low_version = case when low = $2 then greatest(low_version, $4) else low_version end,
            high_has_left = case when high = $2 and high_version < $4 then $3 else high_has_left end,
            high_version = case when high = $2 then greatest(high_version, $4) else high_version end
        where workspace = $1 and $2 in (low, high)
        returning id
        """)
    private static let setLeftOne = Statement.write(
        "someone left a new dm",
        """
        update dm set
            low_has_left = low_has_left or (low = any($2::bigint[]) and low_version = 0),
            high_has_left = high_has_left or (high = any($2::bigint[]) and high_version = 0)
        where workspace = $3 and id = $1
        """)

    /// Returns the DM of two users and whether this call created it; nil if there is none and one of the two already has
    /// `limit` DMs in the workspace. Concurrent calls may exceed the limit by a few.
    func open(
        _ one: UserID, _ other: UserID, in workspace: WorkspaceID, limit: Int, at now: Timestamp
    ) async throws -> (dm: DM, isNew: Bool)? {
        let (low, high) = (min(one, other), max(one, other))
        var batch = PostgresBatch()
        try batch.add(Self.open, workspace, low, high, now.milliseconds, limit)
        try batch.add(Self.pair, workspace, low, high)
        let results = try await database.run(batch)
        if let new = try results[0].first(DM.init(row:)) { return (new, true) }
        return try results[1].first(DM.init(row:)).map { ($0, false) }
    }

    func find(_ one: UserID, _ other: UserID, in workspace: WorkspaceID) async throws -> DM? {
        let (low, high) = (min(one, other), max(one, other))
        return try await database.query(Self.pair, workspace, low, high).first(DM.init(row:))
    }

    /// The user's DMs among `ids`, without those of workspaces that the user has left.
    func find(_ ids: [DMID], of user: UserID) async throws -> [DM] {
        let workspaces = try await workspaces(of: ids)
        var batch = PostgresBatch()
        for (workspace, found) in Dictionary(grouping: workspaces, by: \.value) {
            try batch.add(Self.byIDs, found.map(\.key), user, workspace)
        }
        if workspaces.isEmpty { return [] }
        return try await database.run(batch).flatMap { rows throws(PostgresError) in try rows.map(DM.init(row:)) }
    }

    private func workspaces(of ids: [DMID]) async throws -> [DMID: WorkspaceID] {
        try await workspaces.find(Set(ids)) { ids in
            let found = try await database.query(Self.workspaces, Array(ids)).map { row throws(PostgresError) in
                (try row.next(as: DMID.self), try row.next(as: WorkspaceID.self))
            }
            return Dictionary(found) { first, _ in first }
        }
    }

    /// The DM if it is one of the user's in a workspace that the user has not left.
    func find(_ id: DMID, of user: UserID, in workspace: WorkspaceID) async throws -> [DM] {
        try await database.query(Self.byIDs, [id], user, workspace).map(DM.init(row:))
    }

    /// The user's DMs in a workspace, oldest first.
    func list(_ workspace: WorkspaceID, of user: UserID) async throws -> [DM] {
        try await database.query(Self.ofUser, user, workspace).map(DM.init(row:))
    }

    /// The workspace of a DM of the user, even after the user has left it.
    func workspace(of id: DMID, member user: UserID) async throws -> WorkspaceID? {
        guard let workspace = try await workspaces(of: [id])[id],
            try await database.query(Self.isMember, workspace, id, user).value(as: Bool.self)
        else { return nil }
        return workspace
    }

    /// Those of these DMs in which the user has written.
    func written(_ dms: [DM], by user: UserID) async throws -> Set<DMID> {
        var batch = PostgresBatch()
        for (workspace, dms) in Dictionary(grouping: dms, by: \.workspace) {
            try batch.add(Self.written, dms.map(\.id), user, workspace)
        }
        if dms.isEmpty { return [] }
        return Set(
            try await database.run(batch).flatMap { rows throws(PostgresError) in
                try rows.map { row throws(PostgresError) in try row.next(as: DMID.self) }
            })
    }

    /// Records that a user has left the workspace or come back, unless a later version is known. Returns the user's
    /// DMs.
    func setLeft(
        _ hasLeft: Bool, _ user: UserID, _ workspace: WorkspaceID, version: Int64
    ) async throws -> [DMID] {
        try await database.query(Self.setLeft, workspace, user, hasLeft, version)
            .map { row throws(PostgresError) in try row.next() }
    }

    /// Records that users have left the workspace of a new DM, for which no fact about them has arrived yet.
    func setLeft(_ users: [UserID], _ id: DMID, in workspace: WorkspaceID) async throws {
        try await database.execute(Self.setLeftOne, id, users, workspace)
    }
}

extension DM {
    /// Reads the columns id, workspace, low, high, created_at, low_has_left, high_has_left.
    init(row: inout Row) throws(PostgresError) {
        id = try row.next()
        workspace = try row.next()
        low = try row.next()
        high = try row.next()
        createdAt = try row.next()
        lowHasLeft = try row.next()
        highHasLeft = try row.next()
    }
}
