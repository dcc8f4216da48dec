import Postgres
import Wire

/// The table `webhook`: ids of received webhooks.
struct WebhookStore: Sendable {
    private static let insert = Statement.write(
        "insert webhook", "insert into webhook (provider, id) values ($1, $2) on conflict do nothing")
    private static let delete = Statement.write(
        "delete old webhooks",
        """
        delete from webhook where (provider, id) in (
            select provider, id from webhook where received_at < $1 order by received_at limit 5000
        )
        """)

    /// Records a webhook.
    ///
    /// - Returns: whether the id is new.
    func record(_ id: String, of provider: String, in database: some Queryable) async throws(PostgresError) -> Bool {
        try await database.execute(Self.insert, provider, id) > 0
    }

    /// Deletes ids of webhooks received before `moment`, at most 5,000.
    func delete(before moment: Timestamp, in database: some Queryable) async throws(PostgresError) {
        try await database.execute(Self.delete, moment)
    }
}
