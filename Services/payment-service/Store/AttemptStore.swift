import Postgres
import Wire

/// The table `attempt`: lookups of payments, open until the provider has answered.
struct AttemptStore: Sendable {
    let database: PostgresPool

    /// An attempt to insert.
    struct NewAttempt: Sendable {
        /// Nil while the provider is unknown.
        let provider: String?
        let reference: String
        let buyer: PaymentAttempt.Buyer?
        /// When ``MaintenanceJobs`` resumes it if it is still open.
        let nextTryAt: Timestamp
        /// The most open attempts of one buyer, or of all attempts without a buyer.
        let limit: Int
        /// The most lookups of one buyer that are under way, or found no payment within an hour.
        let unknownLimit: Int
    }

    private static let lock = Statement.write(
        "lock attempts of user", "select pg_advisory_xact_lock(hashtextextended('attempts ' || $1::bigint, 0))")
    /// The attempts under way may find no payment either, so they count towards that limit, apart from the same attempt.
    ///
    /// The update changes nothing. It makes the statement return the open attempt and lock it, so that it cannot end
    /// meanwhile.
    private static let record = Statement.write(
        "record attempt",
        """
        insert into attempt (provider, reference, user_id, order_number, next_try_at)
        select $1, $2, $3, $4, $5
        where (
            select count(*) from attempt
            where ended_at is null and coalesce(user_id, 0) = coalesce($3::bigint, 0)
        ) < $6 and (
            select count(*) from attempt
            where user_id = $3 and outcome = 'unknown'
                and ended_at > (extract(epoch from now()) * 1000)::bigint - 3600000
        ) + (
            select count(*) from attempt
            where ended_at is null and coalesce(user_id, 0) = $3 and (reference <> $2 or order_number <> $4)
        ) < $7
        on conflict (reference, coalesce(user_id, 0), coalesce(order_number, ''), coalesce(provider, ''))
            where ended_at is null
        do update set next_try_at = attempt.next_try_at
        returning id, provider, reference, user_id, order_number, tries, made_at
        """)
    /// The open attempts that have a buyer, oldest first.
    static let openWithBuyer = Statement.read(
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
    private static let claimDue = Statement.write(
        "claim due attempts",
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
    private static let delete = Statement.write(
        "delete ended attempts",
        """
        delete from attempt
        where id in (select id from attempt where ended_at < $1 order by ended_at limit 5000)
        """)

    /// Inserts an attempt, or returns the same one if it is open. Concurrent calls of one buyer wait for each other, so that they do
    /// not exceed the limits.
    ///
    /// - Returns: nil if too many are open, or if too many of the buyer found no payment.
    func record(_ new: NewAttempt) async throws -> PaymentAttempt? {
        try await database.transaction { transaction in
            if let buyer = new.buyer { try await transaction.query(Self.lock, buyer.user) }
            return try await record(new, in: transaction)
        }
    }

    /// The same within a transaction, for an attempt without a buyer.
    func record(_ new: NewAttempt, in queryable: some Queryable) async throws(PostgresError) -> PaymentAttempt? {
        try await queryable.query(
            Self.record, new.provider, new.reference, new.buyer?.user, new.buyer?.order.text,
            new.nextTryAt, new.limit, new.unknownLimit
        ).first(PaymentAttempt.init(row:))
    }

    /// Adds the end of an attempt to a batch.
    func addEnd(_ id: Int64, outcome: String, to batch: inout PostgresBatch) throws(PostgresError) {
        try batch.add(Self.end, id, outcome)
    }

    /// Ends an attempt.
    func end(_ id: Int64, outcome: String) async throws(PostgresError) {
        try await database.execute(Self.end, id, outcome)
    }

    /// Claims due attempts and postpones their next try, so that no other instance claims them as well.
    func claimDue(
        at now: Timestamp, until next: Timestamp, limit: Int
    ) async throws(PostgresError) -> [PaymentAttempt] {
        try await database.query(Self.claimDue, now, next, limit).map(PaymentAttempt.init(row:))
    }

    /// Postpones an attempt after its provider did not answer.
    func postpone(_ id: Int64, until next: Timestamp) async throws(PostgresError) {
        try await database.execute(Self.postpone, id, next)
    }

    /// Deletes attempts that ended before `moment`, 5,000 at once.
    func delete(before moment: Timestamp) async throws(PostgresError) {
        while try await database.execute(Self.delete, moment) > 0 {}
    }
}

extension PaymentAttempt {
    init(row: inout Row) throws(PostgresError) {
        id = try row.next()
        provider = try row.next()
        reference = try row.next()
        let user: UserID? = try row.next()
        let order: String? = try row.next()
        if let user, let order { buyer = Buyer(user: user, order: OrderNumber(text: order)) } else { buyer = nil }
        tries = try row.next()
        madeAt = try row.next()
    }
}
