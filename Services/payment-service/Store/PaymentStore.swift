import Postgres
import Wire

/// The table `payment`.
struct PaymentStore: Sendable {
    let database: PostgresPool

    private static let find = Statement.read(
        "find payment",
        """
        select id, provider, reference, order_number, item, amount, cancelled_amount, currency, status, paid_at,
            owner, coins, credited_at, refunded
        from payment where reference = $1 and provider = any($2::text[])
        order by owner is null, id limit 1
        """)
    private static let byID = Statement.read(
        "payment by id",
        """
        select id, provider, reference, order_number, item, amount, cancelled_amount, currency, status, paid_at,
            owner, coins, credited_at, refunded
        from payment where id = $1
        """)
    private static let ofOwner = Statement.read(
        "payments of owner",
        """
        select id, provider, reference, order_number, item, amount, cancelled_amount, currency, status, paid_at,
            owner, coins, credited_at, refunded
        from payment where owner = $1 order by id desc limit $2
        """)
    private static let insert = Statement.write(
        "insert payment",
        """
        insert into payment (
            provider, reference, order_number, item, amount, cancelled_amount, currency, status, paid_at
        ) values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
        on conflict (provider, reference) do nothing
        """)
    private static let lock = Statement.write(
        "lock payment",
        """
        select id, provider, reference, order_number, item, amount, cancelled_amount, currency, status, paid_at,
            owner, coins, credited_at, refunded
        from payment where provider = $1 and reference = $2 for no key update
        """)
    private static let update = Statement.write(
        "update payment",
        """
        update payment set order_number = $2, item = $3, amount = $4, cancelled_amount = $5, currency = $6,
            status = $7, paid_at = $8, owner = $9, coins = $10, credited_at = $11, refunded = $12
        where id = $1
        """)
    private static let unchecked = Statement.read(
        "unchecked payments",
        """
        select checked_at, id, provider, reference, order_number, item, amount, cancelled_amount, currency, status,
            paid_at, owner, coins, credited_at, refunded
        from payment
        where checked_at >= $6 and checked_at < $1 and seen_at > $2 and id <> all($3::bigint[])
            and provider <> all($4::text[])
        order by checked_at limit $5
        """)
    private static let markChecked = Statement.write(
        "mark payment checked",
        "update payment set checked_at = (extract(epoch from clock_timestamp()) * 1000)::bigint where id = $1")
    private static let markCompared = Statement.write(
        "mark payment compared",
        """
        update payment set checked_at = clock.moment, compared_at = clock.moment
        from (select (extract(epoch from clock_timestamp()) * 1000)::bigint as moment) as clock where id = $1
        """)

    /// Returns a payment by its provider's reference.
    func find(_ reference: String, of providers: [String]) async throws(PostgresError) -> PaymentRecord? {
        try await database.query(Self.find, reference, providers).first(PaymentRecord.init(row:))
    }

    func find(_ id: Int64) async throws(PostgresError) -> PaymentRecord? {
        try await database.query(Self.byID, id).first(PaymentRecord.init(row:))
    }

    /// The payments that were credited to a user, newest first.
    func list(ownedBy user: UserID, limit: Int) async throws(PostgresError) -> [PaymentRecord] {
        try await database.query(Self.ofOwner, user, limit).map(PaymentRecord.init(row:))
    }

    /// Inserts the reported payment if it is new, locks it until the transaction ends, and reads its open attempts with
    /// a buyer, oldest first.
    func lock(
        _ report: PaymentReport, of provider: String, in transaction: PostgresTransaction
    ) async throws(PostgresError) -> (record: PaymentRecord, openAttempts: [PaymentAttempt]) {
        var batch = PostgresBatch()
        try batch.add(
            Self.insert, provider, report.reference, report.order.text, report.item, report.amount,
            report.cancelledAmount, report.currency, report.status, report.paidAt)
        try batch.add(Self.lock, provider, report.reference)
        try batch.add(AttemptStore.openWithBuyer, report.reference, provider)
        let rows = try await transaction.run(batch)
        guard let record = try rows[1].first(PaymentRecord.init(row:)) else {
            preconditionFailure("a payment was missing after its insert")
        }
        return (record, try rows[2].map(PaymentAttempt.init(row:)))
    }

    /// Adds the update of a payment to a batch. The payment is not marked as checked by it: only a run of the
    /// reconciliation compares payments with their reports.
    func add(_ record: PaymentRecord, to batch: inout PostgresBatch) throws(PostgresError) {
        let (report, credit) = (record.report, record.credit)
        try batch.add(
            Self.update, record.id, report.order.text, report.item, report.amount, report.cancelledAmount,
            report.currency, report.status, report.paidAt, credit?.owner, credit?.coins, credit?.creditedAt,
            credit?.refunded ?? 0)
    }

    /// A payment, and when its provider was last asked about it.
    typealias Unchecked = (record: PaymentRecord, checkedAt: Timestamp)

    /// Returns payments last checked before `moment` and first seen after `horizon`, those checked longest ago first.
    ///
    /// - Parameters:
    ///   - floor: the time at which the last payment of the page before was checked. Without it each page would read all payments
    ///     that are too old to be compared; a payment is never checked before it is seen, so the first page begins at `horizon`.
    ///   - skipped: payments to leave out.
    ///   - silent: providers with payments to leave out.
    func unchecked(
        since moment: Timestamp, notOlderThan horizon: Timestamp, after floor: Timestamp?, except skipped: [Int64],
        notOf silent: [String], limit: Int
    ) async throws(PostgresError) -> [Unchecked] {
        try await database.query(Self.unchecked, moment, horizon, skipped, silent, limit, floor ?? horizon).map {
            row throws(PostgresError) in
            let checkedAt = try row.next(as: Timestamp.self)
            return (record: try PaymentRecord(row: &row), checkedAt: checkedAt)
        }
    }

    /// Marks a payment as checked now, although it could not be compared with its provider.
    func markChecked(_ id: Int64) async throws(PostgresError) {
        try await database.execute(Self.markChecked, id)
    }

    /// Marks a payment as compared with its provider now.
    func markCompared(_ id: Int64) async throws(PostgresError) {
        try await database.execute(Self.markCompared, id)
    }
}

extension PaymentReport.Status: PostgresValue {}

extension PaymentRecord {
    init(row: inout Row) throws(PostgresError) {
        id = try row.next()
        provider = try row.next()
        report = PaymentReport(
            reference: try row.next(), order: OrderNumber(text: try row.next()), item: try row.next(),
            amount: try row.next(), cancelledAmount: try row.next(), currency: try row.next(),
            status: try row.next(), paidAt: try row.next())
        guard let owner: UserID = try row.next() else { return }
        credit = Credit(
            owner: owner, coins: try row.next(), creditedAt: try row.next(), refunded: try row.next())
    }
}
