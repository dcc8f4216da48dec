import Contract
import Postgres
import Wire

extension WebhookSubscriptionStore {
    /// Looks at a page of the waiting events, by room and id, and ends those that the subscription leaves out by now. The room 0
    /// has the events of members and channels. Their detail names the channel, if they are of one.
    private static let endLeftOut = Statement.write(
        "end waiting events that a subscription leaves out",
        """
        with page as materialized (
            select id, room, event, detail from webhook_delivery
            where workspace = $1 and subscription = $2 and state = 0 and (room, id) > ($3, $4)
            order by room, id limit $5
        ), ended as (
            update webhook_delivery d set state = 2, error = $6
            from page, webhook_subscription s
            where d.workspace = $1 and d.id = page.id and d.state = 0 and s.workspace = $1 and s.id = $2
                and (not page.event = any(s.events) or (s.channels <> '{}' and case
                    when page.room > 0 then not page.room = any(s.channels)
                    else (page.detail::json ->> 'channel_id')::bigint <> all(s.channels) end))
        )
        select room, id from page order by room desc, id desc limit 1
        """)

    /// The events of a statement. It takes a small part of `statement_timeout`.
    static let pageSize = 5000

    /// Ends the waiting events that a subscription leaves out, a page at a time. After a failure, the sender ends the others: it
    /// sends none of them.
    func endLeftOut(_ subscription: WebhookSubscription, pageSize: Int = Self.pageSize) async throws {
        var last: (room: Int64, id: Int64)? = (-1, 0)
        while let place = last {
            last = try await database.query(
                Self.endLeftOut, subscription.workspace, subscription.id, place.room, place.id, pageSize,
                WebhookDelivery.leftOutError
            ).first { row throws(PostgresError) in (room: try row.next(), id: try row.next()) }
        }
    }
}
