import Postgres
import Wire

/// Which webhooks have come.
struct WebhookStore: Sendable {
    private static let insert = Statement.write(
        "insert webhook", "insert into webhook (provider, id) values ($1, $2) on conflict do nothing")
    private static let forget = Statement.write(
        "forget webhooks",
        """
        delete from webhook where (provider, id) in (
            select provider, id from webhook where received_at < $1 order by received_at limit 5000
        )
        """)

    /// Records a webhook.
    ///
    /// - Returns: whether it is the first of its id.
    func record(_ id: String, of provider: String, in database: some Queryable) async throws(PostgresError) -> Bool {
        try await database.execute(Self.insert, provider, id) > 0
    }

    /// Forgets webhooks that came before `moment`, a few thousand at most.
    func forget(before moment: Timestamp, in database: some Queryable) async throws(PostgresError) {
        try await database.execute(Self.forget, moment)
    }
}
