import Contract
import Postgres
import Wire

/// The table `invitation`.
struct InvitationStore: Sendable {
    let database: PostgresPool

    private static let insert = Statement.write(
        "insert invitation",
        """
        insert into invitation (
            workspace, kind, seed, token_hash, role, channels, recipient, language, created_by, created_at, expires_at,
            max_uses
        ) values ($1, case when $6::text is null then 'link' else 'mail' end, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
        returning id, workspace, kind, seed, role, channels, expires_at, max_uses, recipient, language, created_by,
            created_at, uses, revoked_at
        """)
    private static let byToken = Statement.read(
        "invitation by token",
        """
        select id, workspace, kind, seed, role, channels, expires_at, max_uses, recipient, language, created_by,
            created_at, uses, revoked_at
        from invitation where token_hash = $1
        """)
    private static let byID = Statement.read(
        "invitation by id",
        """
        select id, workspace, kind, seed, role, channels, expires_at, max_uses, recipient, language, created_by,
            created_at, uses, revoked_at
        from invitation where id = $1 and ($2::bigint is null or workspace = $2)
        """)
    private static let list = Statement.read(
        "invitations of workspace",
        """
        select id, workspace, kind, seed, role, channels, expires_at, max_uses, recipient, language, created_by,
            created_at, uses, revoked_at
        from invitation where workspace = $1 and (created_at, id) < ($2, $3) order by created_at desc, id desc limit $4
        """)
    private static let activeCount = Statement.read(
        "count active invitations",
        """
        select count(*) from invitation where workspace = $1 and expires_at > $2 and revoked_at is null
            and created_by is not null and (max_uses is null or uses < max_uses)
        """)
    private static let countChannels = Statement.read(
        "count channels of invitation", "select count(*) from channel where workspace = $1 and id = any($2::bigint[])")
    private static let revoke = Statement.write(
        "revoke invitation", "update invitation set revoked_at = $2, recipient = null where id = $1")
    private static let use = Statement.write(
        "use invitation",
        """
        update invitation set uses = uses + 1,
            recipient = case when uses + 1 >= max_uses then null else recipient end
        where id = $1
        """)
    private static let forgetRecipients = Statement.write(
        "forget recipients of invitations",
        "update invitation set recipient = null where expires_at <= $1 and recipient is not null")
    private static let forget = Statement.write(
        "delete old invitations",
        "delete from invitation where expires_at < $1")

    func insert(
        _ terms: InvitationTerms, _ seed: [UInt8], _ hash: [UInt8], in workspace: WorkspaceID, by user: UserID,
        at now: Timestamp, _ transaction: PostgresTransaction
    ) async throws -> Invitation {
        try await transaction.query(
            Self.insert, workspace, seed, hash, terms.role.rawValue, terms.channels, terms.recipient, terms.language,
            user, now.milliseconds, terms.expiresAt.milliseconds, terms.maxUses.map { Int32($0) }
        ).only(Invitation.init(row:))
    }

    func find(tokenHash hash: [UInt8]) async throws -> Invitation? {
        try await database.query(Self.byToken, hash).first(Invitation.init(row:))
    }

    func find(_ id: InvitationID) async throws -> Invitation? {
        try await database.query(Self.byID, id, WorkspaceID?.none).first(Invitation.init(row:))
    }

    func find(
        _ id: InvitationID, of workspace: WorkspaceID, in transaction: PostgresTransaction
    ) async throws -> Invitation? {
        try await transaction.query(Self.byID, id, workspace).first(Invitation.init(row:))
    }

    /// A page of the invitations, newest first.
    func list(_ workspace: WorkspaceID, _ page: Page) async throws -> [Invitation] {
        try await database.query(Self.list, workspace, page.moment, page.id, page.limit).map(Invitation.init(row:))
    }

    func activeCount(
        _ workspace: WorkspaceID, at now: Timestamp, in transaction: PostgresTransaction
    ) async throws -> Int {
        Int(try await transaction.query(Self.activeCount, workspace, now.milliseconds).value(as: Int64.self))
    }

    /// How many of the channels are in the workspace.
    func countChannels(
        _ channels: [ChannelID], in workspace: WorkspaceID, _ transaction: PostgresTransaction
    ) async throws -> Int {
        Int(try await transaction.query(Self.countChannels, workspace, channels).value(as: Int64.self))
    }

    func revoke(_ id: InvitationID, at now: Timestamp, _ transaction: PostgresTransaction) async throws {
        try await transaction.execute(Self.revoke, id, now.milliseconds)
    }

    /// Counts a use. The caller holds the lock of the workspace.
    func use(_ id: InvitationID, _ transaction: PostgresTransaction) async throws {
        try await transaction.execute(Self.use, id)
    }

    /// Takes the addresses from invitations that have expired, and deletes those that expired before `moment`.
    func forget(endedBefore moment: Timestamp, now: Timestamp) async throws {
        try await database.execute(Self.forgetRecipients, now.milliseconds)
        try await database.execute(Self.forget, moment.milliseconds)
    }
}

extension Invitation {
    /// Reads the columns id, workspace, kind, seed, role, channels, expires_at, max_uses, recipient, language, created_by,
    /// created_at, uses, revoked_at.
    fileprivate init(row: inout Row) throws(PostgresError) {
        id = try row.next()
        workspace = try row.next()
        kind = Kind(rawValue: try row.next()) ?? .link
        seed = try row.next()
        let role = WorkspaceRole(rawValue: try row.next()) ?? .guest
        terms = InvitationTerms(
            role: role, channels: try row.next(), expiresAt: Timestamp(milliseconds: try row.next()),
            maxUses: try row.next(as: Int32?.self).map { Int($0) }, recipient: try row.next(), language: try row.next())
        createdBy = try row.next()
        createdAt = Timestamp(milliseconds: try row.next())
        uses = Int(try row.next(as: Int32.self))
        revokedAt = try row.next(as: Int64?.self).map { Timestamp(milliseconds: $0) }
    }
}
