import Postgres
import Wire

/// Queries that compare the ledger with its own sums. Each statement reads one snapshot.
struct AuditStore: Sendable {
    let database: PostgresPool

    /// The number of transactions, or users, in one query.
    private static let page: Int64 = 5000

    private static let lastTransaction = Statement.read(
        "last transaction", "select coalesce(max(id), 0) from transaction")
    private static let transactionSums = Statement.read(
        "audit transactions",
        """
        select 'transaction_sum', transaction.id::text, coalesce(sum(amount), 0) || ' in ' || count(amount), '0'
        from transaction left join entry on transaction_id = transaction.id
        where transaction.id > $1 and transaction.id <= $2
        group by transaction.id having coalesce(sum(amount), 0) <> 0 or count(amount) < 2
        """)
    private static let endOfPage = Statement.read(
        "end of audit page",
        """
        select max(user_id) from (
            select user_id from account where user_id > $1 order by user_id limit $2
        ) as page
        """)
    private static let bookBalances = Statement.read(
        "audit balances",
        """
        select distinct on (user_id, book)
            'book_balance', user_id || ' ' || book, balance || ' at ' || version, running || ' at ' || place
        from (
            select user_id, book, version, balance,
                sum(case when book in ('purchases', 'grants', 'losses') then -amount else amount end) over line as running,
                row_number() over line as place
            from entry where user_id > $1 and user_id <= $2
            window line as (partition by user_id, book order by version)
        ) as entries
        where balance <> running or version <> place
        order by user_id, book, version
        """)
    private static let reservedSums = Statement.read(
        "audit reserves",
        """
        with books as (
            select user_id, balance from balance
            where book = 'reserved' and user_id > $1 and user_id <= $2
        ), open as (
            select user_id, sum(amount) as amount from reserve
            where state = 'reserved' and user_id > $1 and user_id <= $2 group by user_id
        )
        select 'reserved_sum', user_id::text, coalesce(balance, 0)::text, coalesce(amount, 0)::text
        from books full join open using (user_id) where coalesce(balance, 0) <> coalesce(amount, 0)
        """)
    private static let purchasedSums = Statement.read(
        "audit purchases",
        """
        with books as (
            select user_id, balance from balance
            where book = 'purchases' and user_id > $1 and user_id <= $2
        ), credited as (
            select owner as user_id, sum(coins - refunded) as coins from payment
            where owner > $1 and owner <= $2 group by owner
        )
        select 'purchased_sum', user_id::text, coalesce(balance, 0)::text, coalesce(coins, 0)::text
        from books full join credited using (user_id) where coalesce(balance, 0) <> coalesce(coins, 0)
        """)
    /// A credit makes up for an abandoned claim. A webhook may have told of a cancellation of the credited payment, so its attempt
    /// counts until the payment has been compared again; a payment older than the window never is.
    private static let leftovers = Statement.read(
        "audit leftovers",
        """
        select 'capture_uncollected', key, '0', amount::text from reserve where uncollected_at is not null
        union all
        select 'attempt_abandoned', id::text, outcome, reference from attempt
        where outcome = 'abandoned' and not exists (
            select from payment
            where payment.reference = attempt.reference and payment.owner is not null
                and payment.provider = coalesce(attempt.provider, payment.provider)
                and (attempt.user_id is not null or greatest(payment.credited_at, payment.compared_at) > attempt.ended_at)
        )
        union all
        select 'payment_unclaimed', id::text, 'unclaimed', status from payment
        where owner is null and status = 'paid' and seen_at < $1
        limit 1000
        """)

    /// Returns transactions with entries that do not sum to zero.
    func transactionSums() async throws(PostgresError) -> [Difference] {
        var found: [Difference] = []
        let last: Int64 = try await database.query(Self.lastTransaction).value()
        var start: Int64 = 0
        while start < last {
            found += try await database.query(Self.transactionSums, start, start + Self.page).map(Difference.init(row:))
            start += Self.page
        }
        return found
    }

    /// Returns accounts with a balance that differs from the sum of their entries, reserves or payments.
    func balances() async throws(PostgresError) -> [Difference] {
        var found: [Difference] = []
        var after: Int64 = 0
        while let end = try await database.query(Self.endOfPage, after, Self.page).value(as: Int64?.self) {
            for query in [Self.bookBalances, Self.reservedSums, Self.purchasedSums] {
                found += try await database.query(query, after, end).map(Difference.init(row:))
            }
            after = end
        }
        return found
    }

    /// Returns captures without coins, abandoned attempts that nothing has made up for, and unclaimed payments.
    func leftovers(unclaimedBefore moment: Timestamp) async throws(PostgresError) -> [Difference] {
        try await database.query(Self.leftovers, moment).map(Difference.init(row:))
    }
}
