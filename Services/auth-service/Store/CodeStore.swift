import Contract
import Postgres
import Wire

/// The table `mail_code`: codes that were sent by mail.
struct CodeStore: Sendable {
    let database: PostgresPool

    /// One call at a time counts the mails of an address, and one those of an account.
    private static let lock = Statement.write(
        "lock codes",
        """
        select pg_advisory_xact_lock(hashtextextended('code:' || name, 0))
        from unnest($1::text[]) as name
        """)
    /// Each purpose has a count of its own, and so have resets from known networks: codes that others order for an address keep
    /// nobody from a reset, and resets that strangers order keep nobody from verifying the address. `ErasureStore` replaces the
    /// addresses of deleted accounts by their digest.
    private static let recent = Statement.read(
        "recent codes",
        """
        with sent as (
            select created_at from mail_code
            where address in ($1, 'sha256:' || encode(sha256(convert_to($1, 'UTF8')), 'hex')) and created_at > $3
                and purpose = $4 and (is_known is true) = $5
        )
        select (select count(*) from sent), (select min(created_at) from sent),
            (select count(*) from mail_code where account = $2 and created_at > $3),
            (select min(created_at) from mail_code where account = $2 and created_at > $3)
        """)
    private static let insert = Statement.write(
        "insert code",
        """
        with code as (
            insert into mail_code (purpose, address, account, seed, created_at, expires_at, is_known)
            values ($1, $2, $3, $4, $5, $6, $10) returning id
        )
        insert into mail (account, recipient, template, language, created_at, due_at, expires_at, code)
        select $3, $7, $8, $9, $5, $5, $6, id from code
        """)
    /// Only the newest code counts, so that several mails do not make several codes to guess. A known network tries the newest
    /// code that known networks asked for, and any other network the newest of the others, if there is one. The last two tries
    /// of a code of known networks are theirs, so that strangers cannot use it up; other networks have at least one.
    private static let takeTry = Statement.write(
        "take try of code",
        """
        update mail_code set tries = tries + 1
        where id = (
            select id from mail_code where address = $1 and purpose = $2 and account is not distinct from $3
                and expires_at > $5 and used_at is null
            order by (is_known is true) = $6 desc, created_at desc, id desc limit 1 for update
        ) and tries + case when is_known and not $6 then least(2, $4 - 1) else 0 end < $4
            and expires_at > $5 and used_at is null
        returning id, seed
        """)
    /// Ends the other codes of the purpose, the address and the account too.
    private static let use = Statement.write(
        "use code",
        """
        with used as (
            update mail_code set used_at = $2 where id = $1 and used_at is null and expires_at > $2
            returning purpose, address, account
        ), ended as (
            update mail_code other set used_at = $2 from used
            where other.address = used.address and other.purpose = used.purpose
                and other.account is not distinct from used.account
                and other.id <> $1 and other.used_at is null and other.expires_at > $2
        )
        select count(*) from used
        """)
    private static let deleteOld = Statement.write("delete old codes", "delete from mail_code where created_at < $1")

    /// A code to send.
    struct NewCode: Sendable {
        let seed: CodeSeed
        let recipient: String
        let language: MailLanguage?
        /// Whether the owner of the address has signed in from the network that asks.
        let isFromKnownNetwork: Bool
        let createdAt: Timestamp
        let expiresAt: Timestamp
    }

    /// Inserts a code and the mail that brings it.
    ///
    /// - Returns: nil if it was inserted. If the address had `limit` codes of the purpose since a moment, or the account `limit` codes,
    ///   the time of the oldest one of them.
    func insert(_ code: NewCode, atMost limit: Int, since: Timestamp) async throws -> Timestamp? {
        let seed = code.seed
        // Sorted, so that no two calls wait for each other.
        let names = ([seed.address] + (seed.account.map { ["account \($0)"] } ?? [])).sorted()
        return try await database.transaction(attempts: 3) { tx in
            try await tx.query(Self.lock, names)
            let oldest = try await tx.query(
                Self.recent, seed.address, seed.account, since.milliseconds, seed.purpose.rawValue,
                code.isFromKnownNetwork
            ).only { row throws(PostgresError) in
                var oldest: [Int64] = []
                for _ in 1...2 {
                    let count = try row.next(as: Int64.self)
                    let moment = try row.next(as: Int64?.self)
                    if count >= limit, let moment { oldest.append(moment) }
                }
                return oldest.max()
            }
            if let oldest { return Timestamp(milliseconds: oldest) }
            try await tx.execute(
                Self.insert, seed.purpose.rawValue, seed.address, seed.account, seed.bytes,
                code.createdAt.milliseconds, code.expiresAt.milliseconds, code.recipient,
                seed.purpose.template.rawValue, code.language?.rawValue, code.isFromKnownNetwork)
            return nil
        }
    }

    /// Counts a try of the newest code of a purpose, an address and an account; nil if there is none, or no try is left.
    ///
    /// - Parameter isKnownNetwork: whether the owner of the address has signed in from the network that tries.
    func takeTry(
        of purpose: CodePurpose, at address: String, account: UserID?, isKnownNetwork: Bool, atMost limit: Int,
        now: Timestamp
    ) async throws -> (id: CodeID, seed: CodeSeed)? {
        try await database.query(
            Self.takeTry, address, purpose.rawValue, account, limit, now.milliseconds, isKnownNetwork
        ).first { row throws(PostgresError) in
            let id: CodeID = try row.next()
            return (id, CodeSeed(purpose, address: address, account: account, bytes: try row.next()))
        }
    }

    /// Uses a code up; returns false if it was used meanwhile.
    func use(_ id: CodeID, at now: Timestamp, in transaction: PostgresTransaction) async throws -> Bool {
        try await transaction.query(Self.use, id, now.milliseconds).value(as: Int64.self) == 1
    }

    /// Deletes codes that no longer count.
    func deleteOld(before moment: Timestamp) async throws {
        try await database.execute(Self.deleteOld, moment.milliseconds)
    }
}
