import Contract
import Postgres
import Wire

/// The table `bot_token`, and the sessions of its rows.
struct BotTokenStore: Sendable {
    let database: PostgresPool

    private static let lock = Statement.write(
        "lock bot",
        "select id from account where id = $1 and bot_workspace = $2 and deleted_at is null for no key update")
    private static let count = Statement.read("count bot tokens", "select count(*) from bot_token where account = $1")
    private static let insert = Statement.write(
        "insert bot token",
        """
        with opened as (
            insert into session (account, profile, created_at, expires_at) values ($1, $2, $3, $4) returning id
        )
        insert into bot_token (account, session, hash, prefix, name, scopes, created_by, created_at)
        select $1, id, $5, $6, $7, $8, $9, $3 from opened
        returning id, name, prefix, scopes, created_at, last_used_at
        """)
    private static let list = Statement.read(
        "bot tokens",
        "select id, name, prefix, scopes, created_at, last_used_at from bot_token where account = $1 order by id")
    private static let use = Statement.write(
        "use bot token",
        """
        update bot_token t set last_used_at = $2 from session s join account a on a.id = s.account
        where t.hash = $1 and s.id = t.session and s.revoked_at is null
            and a.deleted_at is null and a.disabled_at is null and a.bot_workspace is not null
        returning t.account, t.session, s.profile, t.scopes
        """)
    private static let rotate = Statement.write(
        "rotate bot token",
        """
        with old as (
            select session from bot_token where id = $1 and account = $2 for update
        ), ended as (
            update session set revoked_at = $3, expires_at = $4 from old where session.id = old.session
            returning session.id, session.profile
        ), opened as (
            insert into session (account, profile, created_at, expires_at) select $2, profile, $3, $5 from ended
            returning id
        )
        update bot_token set session = opened.id, hash = $6, prefix = $7, last_used_at = null from opened, ended
        where bot_token.id = $1
        returning bot_token.id, name, prefix, scopes, bot_token.created_at, last_used_at, ended.id
        """)
    private static let end = Statement.write(
        "end bot token",
        """
        with gone as (
            delete from bot_token where id = $1 and account = $2
            returning id, name, prefix, scopes, created_at, last_used_at, session
        )
        update session set revoked_at = $3, expires_at = $4 from gone where session.id = gone.session
        returning gone.id, name, prefix, scopes, gone.created_at, last_used_at, session.id
        """)
    private static let endAll = Statement.write(
        "end bot tokens",
        """
        with gone as (delete from bot_token where account = $1 returning session)
        update session set revoked_at = $2, expires_at = $3 from gone where session.id = gone.session
        returning session.id
        """)

    private static let endAllInWorkspace = Statement.write(
        "end tokens of former member",
        """
        with gone as (
            delete from bot_token where account in (select id from account where id = $1 and bot_workspace = $2)
            returning session
        )
        update session set revoked_at = $3, expires_at = $4 from gone where session.id = gone.session
        returning session.id
        """)

    /// A bot's session does not expire.
    private static let never = Timestamp(milliseconds: 253_402_300_799_000)
    /// Services ask for the revocation of an ended session for this long.
    private static let retention = Duration.seconds(86_400)

    /// Runs `body` in a transaction.
    func transaction<Result>(_ body: (PostgresTransaction) async throws -> Result) async throws -> Result {
        try await database.transaction(attempts: 3, body)
    }

    /// Lets other transactions that make tokens of the bot, or end it, wait until this one ends; false if the workspace has no
    /// such bot.
    func lock(_ bot: UserID, of workspace: WorkspaceID, in transaction: PostgresTransaction) async throws -> Bool {
        !(try await transaction.query(Self.lock, bot, workspace).isEmpty)
    }

    func count(of bot: UserID, in transaction: PostgresTransaction) async throws -> Int {
        Int(try await transaction.query(Self.count, bot).value(as: Int64.self))
    }

    /// Inserts a token with its session. The caller holds the lock of the bot.
    func insert(
        _ request: NewBotTokenRequest, at now: Timestamp, in transaction: PostgresTransaction
    ) async throws -> BotTokenReply {
        try await transaction.query(
            Self.insert, request.bot, request.profile, now.milliseconds, Self.never.milliseconds, request.secret.hash,
            request.secret.prefix, request.name, request.scopes.names.joined(separator: " "), request.maker
        ).only(BotTokenReply.init(row:))
    }

    func list(of bot: UserID) async throws -> [BotTokenReply] {
        try await database.query(Self.list, bot).map(BotTokenReply.init(row:))
    }

    /// The bot of a token, which has been used now; nil if there is none, or it has ended.
    func use(_ hash: [UInt8], at now: Timestamp) async throws -> BotIdentity? {
        try await database.query(Self.use, hash, now.milliseconds).first { row throws(PostgresError) in
            BotIdentity(
                user: try row.next(), session: try row.next(), profile: try row.next(),
                scopes: BotTokenReply.scopes(in: try row.next()))
        }
    }

    /// A token with its session that has ended.
    typealias Ended = (token: BotTokenReply, session: SessionID)

    /// Gives a token another secret and another session; nil if the bot has no such token.
    func rotate(_ token: Int64, of bot: UserID, to secret: BotTokenSecret, at now: Timestamp) async throws -> Ended? {
        try await database.query(
            Self.rotate, token, bot, now.milliseconds, (now + Self.retention).milliseconds, Self.never.milliseconds,
            secret.hash, secret.prefix
        ).first { row throws(PostgresError) in (try BotTokenReply(row: &row), try row.next()) }
    }

    /// Deletes a token and ends its session; nil if the bot has no such token.
    func end(_ token: Int64, of bot: UserID, at now: Timestamp) async throws -> Ended? {
        try await database.query(
            Self.end, token, bot, now.milliseconds, (now + Self.retention).milliseconds
        ).first { row throws(PostgresError) in (try BotTokenReply(row: &row), try row.next()) }
    }

    /// Deletes the tokens of a user that is a bot of the workspace, and returns their sessions, which have ended.
    func endAll(of bot: UserID, in workspace: WorkspaceID, at now: Timestamp) async throws -> [SessionID] {
        try await database.query(
            Self.endAllInWorkspace, bot, workspace, now.milliseconds, (now + Self.retention).milliseconds
        ).map { row throws(PostgresError) in try row.next() }
    }

    /// Deletes the tokens of a bot, and returns their sessions, which have ended.
    func endAll(
        of bot: UserID, at now: Timestamp, in transaction: PostgresTransaction
    ) async throws -> [SessionID] {
        try await transaction.query(Self.endAll, bot, now.milliseconds, (now + Self.retention).milliseconds)
            .map { row throws(PostgresError) in try row.next() }
    }
}

extension BotTokenReply {
    /// Reads id, name, prefix, scopes, created_at, last_used_at.
    fileprivate init(row: inout Row) throws(PostgresError) {
        self.init(
            id: try row.next(), name: try row.next(), prefix: try row.next(), scopes: Self.scopes(in: try row.next()),
            createdAt: try row.next(), usedAt: try row.next())
    }

    fileprivate static func scopes(in text: String) -> Set<BotScope> {
        Set(text.split(separator: " ").compactMap { BotScope(rawValue: String($0)) })
    }
}
