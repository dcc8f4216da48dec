import Contract
import Postgres
import Wire

/// The events of a subscription as its managers see them.
extension WebhookDeliveryStore {
    private static let list = Statement.read(
        "events of subscription",
        """
        select id, room, event, seq, detail, created_at, state, attempts, first_tried_at, tried_at, status, error
        from webhook_delivery
        where workspace = $5 and subscription = $1 and id < $2 and ($3::smallint is null or state = $3)
        order by id desc limit $4
        """)
    private static let replay = Statement.write(
        "replay event of webhook",
        """
        update webhook_delivery set state = 0, first_tried_at = null
        where workspace = $1 and id = $2 and subscription = $3 and state <> 0
        returning room
        """)
    private static let add = Statement.write(
        "add to webhook queue",
        """
        insert into webhook_queue (workspace, subscription, room, seq, rev, due_at, additions)
        values ($1, $2, $3, 0, 0, $4, 1)
        on conflict on constraint webhook_queue_pkey do update
        set due_at = coalesce(webhook_queue.due_at, excluded.due_at), additions = webhook_queue.additions + 1
        """)
    private static let one = Statement.read(
        "event of subscription",
        """
        select id, room, event, seq, detail, created_at, state, attempts, first_tried_at, tried_at, status, error
        from webhook_delivery where workspace = $3 and id = $2 and subscription = $1
        """)

    /// The events of a subscription, newest first, before one.
    func list(
        of subscription: WebhookSubscription, before id: Int64, _ state: WebhookDelivery.State?, limit: Int
    ) async throws -> [WebhookDelivery] {
        try await database.query(
            Self.list, subscription.id, id, state?.rawValue, limit, subscription.workspace
        ).map(WebhookDelivery.init(row:))
    }

    func find(_ id: WebhookDeliveryID, of subscription: WebhookSubscription) async throws -> WebhookDelivery? {
        try await database.query(Self.one, subscription.id, id, subscription.workspace)
            .first(WebhookDelivery.init(row:))
    }

    /// Puts an event that has ended back into its queue.
    func replay(_ id: WebhookDeliveryID, of subscription: WebhookSubscription, at now: Timestamp) async throws {
        try await database.transaction { tx in
            let room = try await tx.query(Self.replay, subscription.workspace, id, subscription.id)
                .first { row throws(PostgresError) in try row.next(as: Int64.self) }
            guard let room else { return }
            try await tx.execute(Self.add, subscription.workspace, subscription.id, room, now.milliseconds)
        }
    }
}
