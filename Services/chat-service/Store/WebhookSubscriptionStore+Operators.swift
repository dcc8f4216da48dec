import Contract
import Postgres
import Wire

/// Subscriptions for operators: without the name of a workspace.
extension WebhookSubscriptionStore {
    private static let byID = Statement.read(
        "subscription by id",
        """
        select id, workspace, url, events, channels, seed, old_seed, old_seed_until, created_by, created_at, is_on,
            off_reason, off_at
        from webhook_subscription where id = $1
        """)
    private static let byIDAmong = Statement.read(
        "subscription by id among some workspaces",
        """
        select id, workspace, url, events, channels, seed, old_seed, old_seed_until, created_by, created_at, is_on,
            off_reason, off_at
        from webhook_subscription where workspace = any($2::bigint[]) and id = $1
        """)

    /// Nil if there is no such subscription.
    ///
    /// - Throws: E99 if a part of a divided schema is out of reach, and no other has the subscription.
    func find(_ id: WebhookSubscriptionID) async throws -> WebhookSubscription? {
        guard let finder else { return try await database.query(Self.byID, id).first(WebhookSubscription.init(row:)) }
        return try await finder.findOne(
            all: { tx in try await tx.query(Self.byID, id).first(WebhookSubscription.init(row:)) },
            among: { tx, part in
                try await tx.query(Self.byIDAmong, id, part).first(WebhookSubscription.init(row:))
            })
    }
}
