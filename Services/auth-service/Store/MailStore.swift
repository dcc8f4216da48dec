import Contract
import Postgres
import ServiceKit
import Wire

/// The table `mail`: mails that wait to be sent, and the keys of invitations that were sent, without a recipient.
struct MailStore: Sendable {
    let database: PostgresPool

    /// Accounts of a provider that gave no address have one under a domain that takes no mail, and so have deleted accounts. An
    /// address that is not the account's present one counts as unverified.
    private static let insertNotice = Statement.write(
        "insert notice",
        """
        with target as (
            select id, coalesce($2, email) as recipient, language, is_email_verified and $2::text is null as is_proved,
                'sha256:' || encode(sha256(convert_to(lower(coalesce($2, email) collate "C"), 'UTF8')), 'hex') as digest
            from account
            where id = $1 and coalesce($2, email) not like '%.invalid' and ($2 is not null or mail_bounced_at is null)
                and not exists (select from mail waiting where waiting.key = $7::text)
        ), counted as (
            insert into mail_notice (address, sent_at)
            select digest, $5::bigint from target
            where not is_proved and (
                select count(*) from mail_notice n where n.address = target.digest and n.sent_at > $5::bigint - $8::bigint
            ) < $9::bigint
            returning address
        )
        insert into mail (account, recipient, template, language, detail, created_at, due_at, expires_at, key)
        select case when not $10::boolean then id end, recipient, $3, language, $4, $5::bigint, $5::bigint, $6, $7::text
        from target
        where is_proved or exists (select from counted)
        on conflict (key) do nothing
        """)
    private static let forgetNotices = Statement.write(
        "forget notices", "delete from mail_notice where sent_at <= $1")
    private static let insertInvitation = Statement.write(
        "insert invitation mail",
        """
        insert into mail (recipient, template, language, detail, created_at, due_at, expires_at, key)
        values ($1, $2, $3, $4, $5, $5, $6, $7) on conflict (key) do nothing
        """)
    private static let take = Statement.write(
        "take due mails",
        """
        with due as (
            update mail set attempts = attempts + 1, due_at = $1 + $2
            where id in (
                select id from mail where due_at <= $1 and recipient <> ''
                order by due_at limit $3 for update skip locked
            )
            returning *
        )
        select due.id,
            -- A reset goes to the address as its owner wrote it.
            case when due.account is null and account.id is not null then account.email else due.recipient end,
            due.template, coalesce(account.language, due.language), due.detail, due.created_at, due.expires_at,
            due.attempts, account.id, code.purpose, code.address, code.account, code.seed
        from due
        left join mail_code as code on code.id = due.code
        left join lateral (
            select id, email, language from account where id = due.account
            union all
            select id, email, language from account
            where due.account is null and email_key = code.address and bot_workspace is null
        ) as account on true
        """)
    private static let finish = Statement.write("finish mail", "delete from mail where id = $1")
    private static let finishInvitation = Statement.write(
        "finish invitation mail",
        """
        update mail set recipient = '', detail = '', due_at = 9000000000000000, expires_at = least(expires_at, $2)
        where id = $1
        """)
    private static let deleteExpired = Statement.write(
        "delete expired mails", "delete from mail where expires_at <= $1")
    private static let bounce = Statement.write(
        "bounce mail",
        """
        with bounced as (delete from mail where id = $1)
        update account set mail_bounced_at = $2 where id = $3 and email = $4
        """)
    private static let postpone = Statement.write("postpone mail", "update mail set due_at = $2 where id = $1")
    private static let length = Statement.read(
        "length of mail queue",
        """
        select count(*), min(created_at)
        from (
            select created_at from mail where due_at < 9000000000000000 order by due_at limit $1
        ) as waiting
        """)

    /// How long it is known that an invitation was mailed: longer than its order may come again.
    private static let invitationRetention = Duration.seconds(30 * 86_400)

    /// A mail about an account to its owner.
    struct Notice: Sendable {
        let account: UserID
        /// The address; nil for the account's present one.
        let recipient: String?
        let template: MailTemplate
        let detail: String
        /// See `NoticeRequest`.
        let key: String?
        /// Whether the mail is sent although the account is deleted in the same transaction.
        var outlivesAccount = false
    }

    /// Inserts a mail, unless its address takes none or one with its key waits, or it is unverified and has had its notices of a day.
    func insert(
        _ notice: Notice, at now: Timestamp, lifetime: Duration, in transaction: PostgresTransaction? = nil
    ) async throws {
        let expiry = (now + lifetime).milliseconds
        let window = UnprovedNotices.window.wholeMilliseconds
        let most = UnprovedNotices.limit(of: notice.template)
        if let transaction {
            try await transaction.execute(
                Self.insertNotice, notice.account, notice.recipient, notice.template.rawValue, notice.detail,
                now.milliseconds, expiry, notice.key, window, most, notice.outlivesAccount)
        } else {
            try await database.execute(
                Self.insertNotice, notice.account, notice.recipient, notice.template.rawValue, notice.detail,
                now.milliseconds, expiry, notice.key, window, most, notice.outlivesAccount)
        }
    }

    /// Inserts the mail of an invitation, unless one with this key waits or has been sent.
    func insert(_ mail: InvitationMail, key: String, at now: Timestamp) async throws {
        let language = mail.language.flatMap(MailLanguage.init(rawValue:))
        try await database.execute(
            Self.insertInvitation, mail.recipient, MailTemplate.invitation.rawValue, language?.rawValue,
            MailInvitation(mail).detail, now.milliseconds, mail.expiresAt.milliseconds, key)
    }

    /// Leases due mails. Other instances may take those that are not finished when the lease ends. A mail with an unknown
    /// template is skipped: a newer instance sends it.
    func take(atMost limit: Int, now: Timestamp, lease: Duration) async throws -> [WaitingMail] {
        try await database.query(Self.take, now.milliseconds, lease.wholeMilliseconds, limit)
            .map(WaitingMail.init(row:)).compactMap { $0 }
    }

    func finish(_ id: MailID) async throws { try await database.execute(Self.finish, id) }

    /// Deletes a mail that was sent. The key of an invitation stays, without the address and the words.
    func sent(_ mail: WaitingMail, at now: Timestamp) async throws {
        guard mail.template == .invitation else { return try await finish(mail.id) }
        try await database.execute(Self.finishInvitation, mail.id, (now + Self.invitationRetention).milliseconds)
    }

    func deleteExpired(at now: Timestamp) async throws {
        try await database.execute(Self.deleteExpired, now.milliseconds)
    }

    /// Forgets notices that no longer count.
    func forgetNotices(at now: Timestamp) async throws {
        try await database.execute(Self.forgetNotices, (now - UnprovedNotices.window).milliseconds)
    }

    /// Deletes a mail that was refused for good, and notes it at the account.
    func bounce(_ mail: WaitingMail, at now: Timestamp) async throws {
        try await database.execute(Self.bounce, mail.id, now.milliseconds, mail.account, mail.recipient)
    }

    func postpone(_ id: MailID, to moment: Timestamp) async throws {
        try await database.execute(Self.postpone, id, moment.milliseconds)
    }

    /// The length of the queue, counted up to a limit.
    func length() async throws -> QueueLength {
        try await database.query(Self.length, QueueLength.mostCounted).only { row throws(PostgresError) in
            let rows = try row.next(as: Int64.self)
            return QueueLength(
                rows: Int(rows), oldest: try row.next(as: Int64?.self).map { Timestamp(milliseconds: $0) })
        }
    }
}

extension WaitingMail {
    /// Reads id, recipient, template, language, detail, created_at, expires_at, attempts, account, and of the code its
    /// purpose, address, account and seed; nil for an unknown template.
    fileprivate init?(row: inout Row) throws(PostgresError) {
        id = try row.next()
        recipient = try row.next()
        let template = MailTemplate(rawValue: try row.next(as: String.self))
        language = try row.next(as: String?.self).flatMap(MailLanguage.init(rawValue:))
        detail = try row.next()
        createdAt = try row.next()
        expiresAt = try row.next()
        attempts = Int(try row.next(as: Int32.self))
        account = try row.next()
        let purpose = try row.next(as: String?.self).flatMap(CodePurpose.init(rawValue:))
        let (address, codeAccount) = (try row.next(as: String?.self), try row.next(as: UserID?.self))
        let seed = try row.next(as: [UInt8]?.self)
        code =
            if let purpose, let address, let seed {
                CodeSeed(purpose, address: address, account: codeAccount, bytes: seed)
            } else {
                nil
            }
        guard let template else { return nil }
        self.template = template
    }
}
