import Postgres
import Wire

/// Wishes to look at payments, open until their provider has answered.
struct AttemptStore: Sendable {
    /// What is known of an attempt before it is recorded.
    struct Draft: Sendable {
        /// Nil while it is not known whose payment it is.
        let provider: String?
        let reference: String
        let claim: PaymentAttempt.Claim?
        /// When ``Sweeping`` takes it up, should nobody have ended it.
        let nextTryAt: Timestamp
        /// So many may be open for one claimant, or without any.
        let limit: Int
    }

    /// The update changes nothing: it makes the statement return the open attempt, locked, so that none can end unseen.
    private static let record = Statement.write(
        "record attempt",
        """
        insert into attempt (provider, reference, user_id, order_number, next_try_at)
        select $1, $2, $3, $4, $5
        where (
            select count(*) from attempt
            where ended_at is null and coalesce(user_id, 0) = coalesce($3::bigint, 0)
        ) < $6
        on conflict (reference, coalesce(user_id, 0), coalesce(order_number, ''), coalesce(provider, ''))
            where ended_at is null
        do update set next_try_at = attempt.next_try_at
        returning id, provider, reference, user_id, order_number, tries, made_at
        """)
    /// Who claims a payment, the first first.
    static let openClaims = Statement.read(
        "open claims",
        """
        select id, provider, reference, user_id, order_number, tries, made_at from attempt
        where ended_at is null and reference = $1 and user_id is not null and coalesce(provider, $2) = $2
        order by id
        """)
    private static let end = Statement.write(
        "end attempt",
        """
        update attempt set ended_at = (extract(epoch from clock_timestamp()) * 1000)::bigint, outcome = $2
        where id = $1 and ended_at is null
        """)
    private static let takeDue = Statement.write(
        "take due attempts",
        """
        update attempt set next_try_at = $2
        where id in (
            select id from attempt where ended_at is null and next_try_at <= $1
            order by next_try_at limit $3 for update skip locked
        )
        returning id, provider, reference, user_id, order_number, tries, made_at
        """)
    private static let postpone = Statement.write(
        "postpone attempt",
        "update attempt set tries = tries + 1, next_try_at = $2 where id = $1 and ended_at is null")
    private static let forget = Statement.write(
        "forget attempts",
        """
        delete from attempt
        where id in (select id from attempt where ended_at < $1 order by ended_at limit 5000)
        """)

    /// Records an attempt, or finds the same one open.
    ///
    /// - Returns: nil where too many are open.
    func record(_ draft: Draft, in database: some Queryable) async throws(PostgresError) -> PaymentAttempt? {
        try await database.query(
            Self.record, draft.provider, draft.reference, draft.claim?.user, draft.claim?.order.text,
            draft.nextTryAt, draft.limit
        ).first(PaymentAttempt.init(row:))
    }

    /// Adds the end of attempts to a batch.
    func addEnd(_ id: Int64, outcome: String, to batch: inout PostgresBatch) throws(PostgresError) {
        try batch.add(Self.end, id, outcome)
    }

    /// Ends an attempt.
    func end(_ id: Int64, outcome: String, in database: some Queryable) async throws(PostgresError) {
        try await database.execute(Self.end, id, outcome)
    }

    /// Takes open attempts whose time has come, and puts off their next try, so that no other instance takes them, too.
    func takeDue(
        at now: Timestamp, until next: Timestamp, limit: Int, in database: some Queryable
    ) async throws(PostgresError) -> [PaymentAttempt] {
        try await database.query(Self.takeDue, now, next, limit).map(PaymentAttempt.init(row:))
    }

    /// Puts off an attempt whose provider gave no answer.
    func postpone(_ id: Int64, until next: Timestamp, in database: some Queryable) async throws(PostgresError) {
        try await database.execute(Self.postpone, id, next)
    }

    /// Deletes attempts that ended before `moment`, a few thousand at most.
    func forget(before moment: Timestamp, in database: some Queryable) async throws(PostgresError) {
        try await database.execute(Self.forget, moment)
    }
}

extension PaymentAttempt {
    init(row: inout Row) throws(PostgresError) {
        id = try row.next()
        provider = try row.next()
        reference = try row.next()
        let user: UserID? = try row.next()
        let order: String? = try row.next()
        if let user, let order { claim = Claim(user: user, order: OrderNumber(text: order)) } else { claim = nil }
        tries = try row.next()
        madeAt = try row.next()
    }
}
