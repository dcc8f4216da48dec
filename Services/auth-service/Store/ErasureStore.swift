import Contract
import Postgres
import ServiceKit
import Wire

/// The tables of erasures, and the end of an account's own data.
struct ErasureStore: Sendable {
    let database: PostgresPool

    private static let close = Statement.write(
        "close account",
        """
        update account set
            email = $3, email_key = $3, is_key_exact = true,
            is_email_verified = false, nickname = $4, phone = null, profile_image = null, password_hash = null,
            provider = null, language = null, mail_bounced_at = null, credentials = credentials + 1,
            version = version + 1, deleted_at = $2
        where id = $1 and deleted_at is null
        returning id, email, nickname, phone, profile_image, provider, created_at, version, bot_workspace
        """)
    private static let begin = Statement.write(
        "begin erasure",
        """
        with begun as (
            insert into erasure (account, requested_at, deletes_messages, due_at, addresses)
            values ($1, $2, $3, $4, $10::text[])
            returning account
        ), parts as (
            insert into erasure_part (account, part) select account, unnest($5::text[]) from begun
        )
        insert into erasure_grant (account, provider, subject, token, client)
        select begun.account, provider, subject,
            case when provider = $6 and subject = $7 then $8::text end,
            case when provider = $6 and subject = $7 then $9::text end
        from begun join identity on identity.account = begun.account
        """)
    private static let eraseIdentity = Statement.write("erase identities", "delete from identity where account = $1")
    private static let eraseDevice = Statement.write("erase devices", "delete from device where account = $1")
    private static let eraseToken = Statement.write(
        "erase refresh tokens",
        "delete from refresh_token where session in (select id from session where account = $1)")
    private static let eraseMail = Statement.write("erase mails", "delete from mail where account = $1")
    /// They still count for an hour, by a digest of their address: otherwise a stranger joins with an address and deletes the account
    /// again and again, and sends it any number of codes.
    private static let eraseCode = Statement.write(
        "erase codes",
        """
        with gone as (
            update mail_code set account = null, seed = '', used_at = coalesce(used_at, $3),
                address = 'sha256:' || encode(sha256(convert_to(address, 'UTF8')), 'hex')
            where account = $1 or address = $2
            returning id
        )
        delete from mail where code in (select id from gone)
        """)
    /// Mails of invitations are found by their address, because they name no account.
    private static let eraseInvitationMail = Statement.write(
        "erase mails of invitations",
        """
        delete from mail where account is null and template = $2 and lower(recipient collate "C") = any($1::text[])
        """)
    private static let eraseKnownDevice = Statement.write(
        "erase known devices", "delete from known_device where account = $1")
    /// Blocks by others stay. Messages of the account may stay as well, and its blockers never see them.
    private static let eraseBlock = Statement.write("erase blocks", "delete from block where account = $1")
    /// Replaced portraits otherwise stay for months.
    private static let erasePortrait = Statement.write(
        "erase portraits",
        "update unused_portrait set is_replaced = false, due_at = 0, account = null where account = $1")
    /// The sweep removes the files.
    private static let eraseExport = Statement.write(
        "erase exports",
        """
        with gone as (delete from export where account = $1)
        update export_file set due_at = 0, account = null where account = $1
        """)
    /// Recovery codes and remembered devices go with second factors.
    private static let eraseSecondFactor = Statement.write(
        "erase second factor and identities of issuers",
        """
        with tickets as (delete from sign_in_ticket where account = $1),
        bots as (update bot_token set created_by = null where created_by = $1),
        identities as (delete from oidc_identity where account = $1)
        delete from second_factor where account = $1
        """)
    private static let address = Statement.read(
        "address of account", "select email_key, email, is_email_verified from account where id = $1")
    private static let take = Statement.write(
        "take due erasures",
        """
        with due as (
            update erasure set attempts = attempts + 1, due_at = $1 + $2
            where account in (
                select account from erasure where finished_at is null and due_at <= $1
                order by due_at limit $3 for update skip locked
            )
            returning account, requested_at, deletes_messages, round, attempts
        )
        select due.*, array(
            select part from erasure_part where account = due.account and erasure_part.round < due.round order by part)
        from due
        """)
    private static let grants = Statement.read(
        "grants of erasure", "select provider, subject, token, client from erasure_grant where account = $1")
    private static let removeGrant = Statement.write(
        "remove grant", "delete from erasure_grant where account = $1 and provider = $2 and subject = $3")
    private static let beginRound = Statement.write(
        "begin round of erasure",
        """
        update erasure set round = round + 1, due_at = greatest($3, $4), attempts = 0,
            erased_at = case when $5 then coalesce(erased_at, $4) else erased_at end,
            addresses = case when $5 then null else addresses end
        where account = $1 and round = $2 and finished_at is null
        """)
    private static let end = Statement.write(
        "end erasure", "update erasure set finished_at = $2 where account = $1 and finished_at is null")

    /// An erasure that is not finished.
    struct Erasure: Sendable {
        let account: UserID
        let requestedAt: Timestamp
        let deletesMessages: Bool
        let round: Int
        let attempts: Int
        /// The services that have not finished this round.
        let waiting: [String]
        var grants: [Erasures.Grant] = []
    }

    /// Takes everything personal from an account's row; nil if it is deleted already.
    ///
    /// - Returns: the account, and its address in each spelling. Nobody has proved that an unverified address is theirs: the
    ///   invitations to it may be somebody else's, so it is not returned.
    func close(
        _ account: UserID, at now: Timestamp, in tx: PostgresTransaction
    ) async throws -> (account: Account, addresses: [String])? {
        let address = try await tx.query(Self.address, account).first { row throws(PostgresError) in
            (
                key: try row.next(as: String.self), text: try row.next(as: String.self).asciiLowercased,
                isVerified: try row.next(as: Bool.self)
            )
        }
        guard let address else { return nil }
        try await tx.execute(Self.eraseCode, account, address.key, now.milliseconds)
        let spellings = address.key == address.text ? [address.key] : [address.key, address.text]
        let addresses = address.isVerified ? spellings : []
        try await tx.execute(Self.eraseInvitationMail, addresses, MailTemplate.invitation.rawValue)
        let closed = try await tx.query(
            Self.close, account, now.milliseconds, DeletedProfile.address(of: account), DeletedProfile.nickname
        ).first(Account.init(row:))
        guard let closed else { return nil }
        return (closed, addresses)
    }

    /// Writes the order, with the account's grants at providers.
    ///
    /// - Parameter addresses: by which other services find rows without the account's number.
    func begin(
        _ order: Erasures.Order, of addresses: [String], at now: Timestamp, due: Timestamp, in tx: PostgresTransaction
    ) async throws {
        try await tx.execute(
            Self.begin, order.account, now.milliseconds, order.deletesMessages, due.milliseconds,
            ErasurePart.allCases.map(\.rawValue), order.grant?.provider.rawValue, order.grant?.subject,
            order.grant?.token, order.grant?.client, addresses)
    }

    /// Erases the account's rows in the other tables of this schema. Sessions stay without their tokens until they expire,
    /// because services ask for revocations.
    func eraseOwn(_ account: UserID, in tx: PostgresTransaction) async throws {
        for statement in [
            Self.eraseIdentity, Self.eraseDevice, Self.eraseToken, Self.eraseMail, Self.eraseKnownDevice,
            Self.eraseBlock, Self.erasePortrait, Self.eraseExport, Self.eraseSecondFactor,
        ] {
            try await tx.execute(statement, account)
        }
    }

    /// Leases due erasures, with their grants.
    func take(atMost limit: Int, now: Timestamp, lease: Duration) async throws -> [Erasure] {
        var taken = try await database.query(Self.take, now.milliseconds, lease.wholeMilliseconds, limit).map {
            row throws(PostgresError) in
            Erasure(
                account: try row.next(), requestedAt: try row.next(), deletesMessages: try row.next(),
                round: Int(try row.next(as: Int32.self)), attempts: Int(try row.next(as: Int32.self)),
                waiting: try row.next())
        }
        for index in taken.indices { taken[index].grants = try await grants(of: taken[index].account) }
        return taken
    }

    private func grants(of account: UserID) async throws -> [Erasures.Grant] {
        try await database.query(Self.grants, account).map { row throws(PostgresError) in
            let provider = SocialProvider(rawValue: try row.next(as: String.self))
            return Erasures.Grant(
                provider: provider ?? .kakao, subject: try row.next(), token: try row.next(), client: try row.next())
        }
    }

    func remove(_ grant: Erasures.Grant, of account: UserID) async throws {
        try await database.execute(Self.removeGrant, account, grant.provider.rawValue, grant.subject)
    }

    /// Ends a round; returns false if another instance has.
    ///
    /// - Parameter isErased: whether everything is erased with the end of the round.
    func beginRound(
        after round: Int, of account: UserID, due: Timestamp, isErased: Bool, at now: Timestamp
    ) async throws -> Bool {
        try await database.execute(
            Self.beginRound, account, round, due.milliseconds, now.milliseconds, isErased) == 1
    }

    /// Ends an erasure, and erases rows that were written here since its begin.
    func end(_ account: UserID, at now: Timestamp) async throws {
        try await database.transaction(attempts: 3) { tx in
            try await eraseOwn(account, in: tx)
            try await tx.execute(Self.end, account, now.milliseconds)
        }
    }
}
