import Postgres
import Wire

/// The table `webhook`: ids of received webhooks.
struct WebhookStore: Sendable {
    let database: PostgresPool

    private static let insert = Statement.write(
        "insert webhook", "insert into webhook (provider, id) values ($1, $2) on conflict do nothing")
    private static let delete = Statement.write(
        "delete old webhooks",
        """
        delete from webhook where (provider, id) in (
            select provider, id from webhook where received_at < $1 order by received_at limit 5000
        )
        """)

    /// Runs `body` in a transaction.
    func transaction<Result>(_ body: (PostgresTransaction) async throws -> Result) async throws -> Result {
        try await database.transaction(attempts: 1, body)
    }

    /// Records a webhook.
    ///
    /// - Returns: whether the id is new.
    @discardableResult
    func record(_ id: String, of provider: String) async throws(PostgresError) -> Bool {
        try await record(id, of: provider, in: database)
    }

    /// The same within a transaction.
    func record(_ id: String, of provider: String, in queryable: some Queryable) async throws(PostgresError) -> Bool {
        try await queryable.execute(Self.insert, provider, id) > 0
    }

    /// Deletes ids of webhooks received before `moment`, 5,000 at once.
    func delete(before moment: Timestamp) async throws(PostgresError) {
        while try await database.execute(Self.delete, moment) > 0 {}
    }
}
