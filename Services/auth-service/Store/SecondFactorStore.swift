import Contract
import Postgres
import Wire

/// The tables `second_factor` and `recovery_code`.
struct SecondFactorStore: Sendable {
    let database: PostgresPool

    private static let state = Statement.read(
        "second factor of account",
        """
        select f.enabled_at is not null,
            (select count(*) from recovery_code r where r.account = a.id and r.used_at is null), a.second_factor_version
        from account a left join second_factor f on f.account = a.id where a.id = $1
        """)
    private static let ofUsers = Statement.read(
        "users with second factor",
        "select account from second_factor where account = any($1::bigint[]) and enabled_at is not null order by account"
    )
    private static let begin = Statement.write(
        "begin second factor",
        """
        insert into second_factor (account, seed, created_at)
        select id, $2, $3 from account where id = $1 and deleted_at is null for share
        on conflict (account) do update set seed = excluded.seed, created_at = excluded.created_at, last_step = 0
        where second_factor.enabled_at is null
        """)
    private static let takeTry = Statement.write(
        "take try of second factor",
        """
        update second_factor set
            tries = case when tries_since <= $4 then 1 else tries + 1 end,
            tries_since = case when tries_since <= $4 then $3 else tries_since end
        where account = $1 and (enabled_at is not null) = $2
        returning seed, tries, tries_since
        """)
    private static let enable = Statement.write(
        "enable second factor",
        """
        update second_factor set enabled_at = $3, last_step = $2, tries = 0
        where account = $1 and enabled_at is null and last_step < $2
        """)
    private static let useStep = Statement.write(
        "use step of second factor",
        """
        update second_factor set last_step = $2, tries = 0
        where account = $1 and enabled_at is not null and last_step < $2
        """)
    private static let useCode = Statement.write(
        "use recovery code",
        """
        with used as (
            update recovery_code set used_at = $3 where account = $1 and digest = $2 and used_at is null returning account
        )
        update second_factor set tries = 0 where account = (select account from used)
        """)
    private static let deleteCodes = Statement.write(
        "delete recovery codes", "delete from recovery_code where account = $1")
    private static let insertCode = Statement.write(
        "insert recovery code", "insert into recovery_code (account, digest) values ($1, $2)")
    private static let remove = Statement.write(
        "remove second factor", "delete from second_factor where account = $1 and enabled_at is not null")
    private static let removeUnproved = Statement.write(
        "remove unproved second factor",
        "delete from second_factor where account = $1 returning enabled_at is not null")
    private static let raiseVersion = Statement.write(
        "raise version of second factor",
        """
        update account set second_factor_version = second_factor_version + 1 where id = $1
        returning second_factor_version
        """)

    func transaction<Result>(_ body: (PostgresTransaction) async throws -> Result) async throws -> Result {
        try await database.transaction(attempts: 3, body)
    }

    func state(of account: UserID) async throws -> SecondFactors.State {
        let found = try await database.query(Self.state, account).first { row throws(PostgresError) in
            SecondFactors.State(
                isEnabled: try row.next(), recoveryCodes: Int(try row.next(as: Int64.self)), version: try row.next())
        }
        return found ?? SecondFactors.State(isEnabled: false, recoveryCodes: 0, version: 0)
    }

    /// The users among these that have a second factor.
    func users(withFactorAmong users: [UserID]) async throws -> [UserID] {
        try await database.query(Self.ofUsers, users).map { row throws(PostgresError) in try row.next() }
    }

    /// Stores a new seed; false while a second factor is on.
    func begin(_ account: UserID, seed: [UInt8], at now: Timestamp) async throws -> Bool {
        try await database.execute(Self.begin, account, seed, now.milliseconds) == 1
    }

    /// Counts a try; nil if the account has no second factor, or only one that is not on. The count begins anew if it began
    /// before `moment`.
    func takeTry(
        of account: UserID, isEnabled: Bool, at now: Timestamp, since moment: Timestamp
    ) async throws -> (seed: [UInt8], tries: Int, since: Timestamp)? {
        try await database.query(Self.takeTry, account, isEnabled, now.milliseconds, moment.milliseconds).first {
            row throws(PostgresError) in
            (seed: try row.next(), tries: Int(try row.next(as: Int32.self)), since: try row.next())
        }
    }

    /// Turns it on with the code of a time step; false if another call did.
    func enable(_ account: UserID, step: Int64, at now: Timestamp, in tx: PostgresTransaction) async throws -> Bool {
        try await tx.execute(Self.enable, account, step, now.milliseconds) == 1
    }

    /// Uses up the code of a time step; false if it or a later one was used.
    func use(step: Int64, of account: UserID, in tx: PostgresTransaction) async throws -> Bool {
        try await tx.execute(Self.useStep, account, step) == 1
    }

    /// Uses up a recovery code; false if it is unknown or used.
    func use(code digest: [UInt8], of account: UserID, at now: Timestamp, in tx: PostgresTransaction) async throws
        -> Bool
    {
        try await tx.execute(Self.useCode, account, digest, now.milliseconds) == 1
    }

    func replaceCodes(of account: UserID, by digests: [[UInt8]], in tx: PostgresTransaction) async throws {
        try await tx.execute(Self.deleteCodes, account)
        for digest in digests { try await tx.execute(Self.insertCode, account, digest) }
    }

    /// The version of a change in this transaction.
    func raiseVersion(of account: UserID, in tx: PostgresTransaction) async throws -> Int64 {
        try await tx.query(Self.raiseVersion, account).value()
    }

    /// Removes it whether it is on or not; returns whether it was on.
    func removeUnproved(_ account: UserID, in tx: PostgresTransaction) async throws -> Bool {
        try await tx.query(Self.removeUnproved, account).first { row throws(PostgresError) in
            try row.next(as: Bool.self)
        } ?? false
    }

    /// Turns it off. Recovery codes and remembered devices go with it.
    func remove(_ account: UserID, in tx: PostgresTransaction) async throws {
        try await tx.execute(Self.remove, account)
    }
}
