import Contract
import Postgres
import ServiceKit
import Wire

/// The queues of outgoing webhooks and the events in them.
struct WebhookDeliveryStore: Sendable {
    let database: PostgresPool
    /// Nil for tables on one server.
    var finder: WorkspaceFinder?
    /// The same, with more time for a read.
    var sweeps: WorkspaceFinder?

    /// The subscription may have changed since the lease.
    private static let next = Statement.read(
        "next event of webhook queue",
        """
        select d.id, d.room, d.event, d.seq, d.detail, d.created_at, d.state, d.attempts, d.first_tried_at, d.tried_at,
            d.status, d.error, d.event = any(s.events) and (s.channels = '{}' or case
                when d.room > 0 then d.room = any(s.channels)
                else coalesce((d.detail::json ->> 'channel_id')::bigint = any(s.channels), true) end)
        from webhook_delivery d join webhook_subscription s on s.workspace = $3 and s.id = $1
        where d.workspace = $3 and d.subscription = $1 and d.room = $2 and d.state = 0 order by d.id limit 1
        """)
    /// Nothing is written without the lease.
    private static let settle = Statement.write(
        "settle event of webhook",
        """
        with held as (
            update webhook_queue set due_at = $4, attempts = 0
            where workspace = $10 and subscription = $1 and room = $2 and due_at = $3
            returning additions
        ), event as (
            update webhook_delivery set state = $6, attempts = attempts + 1, status = $7, error = $8, tried_at = $9,
                first_tried_at = coalesce(first_tried_at, $9)
            where workspace = $10 and id = $5 and exists (select from held)
        ), subscription as (
            update webhook_subscription set failing_since = null
            where workspace = $10 and id = $1 and failing_since is not null
                and exists (select from held where $6 = 1)
        )
        select additions from held
        """)
    private static let postpone = Statement.write(
        "postpone event of webhook",
        """
        with held as (
            update webhook_queue set due_at = $4, attempts = attempts + 1
            where workspace = $9 and subscription = $1 and room = $2 and due_at = $3
            returning subscription
        ), event as (
            update webhook_delivery set attempts = attempts + 1, status = $6, error = $7, tried_at = $8,
                first_tried_at = coalesce(first_tried_at, $8)
            where workspace = $9 and id = $5 and exists (select from held)
        )
        update webhook_subscription set failing_since = coalesce(failing_since, $8)
        where workspace = $9 and id in (select subscription from held)
        returning failing_since
        """)
    /// Only if nothing was added meanwhile.
    private static let leave = Statement.write(
        "leave webhook queue",
        """
        update webhook_queue set due_at = null
        where workspace = $5 and subscription = $1 and room = $2 and due_at = $3 and additions = $4
        """)
    private static let release = Statement.write(
        "release webhook queue",
        """
        update webhook_queue set due_at = $4
        where workspace = $5 and subscription = $1 and room = $2 and due_at = $3
        """)
    private static let forget = Statement.write(
        "forget events of webhooks",
        """
        with reactions as (
            delete from webhook_reaction
            where workspace = $3 and ctid in (
                select ctid from webhook_reaction where workspace = $3 and reacted_at < $1 limit $2)
        )
        delete from webhook_delivery
        where workspace = $3 and id in (
            select id from webhook_delivery where workspace = $3 and created_at < $1 and state <> 0
            order by created_at limit $2)
        """)
    private static let expired = Statement.read(
        "workspaces with old events of webhooks",
        """
        select workspace from webhook_delivery where created_at < $1 and state <> 0
        union select workspace from webhook_reaction where reacted_at < $1
        """)
    private static let expiredAmong = Statement.read(
        "workspaces with old events of webhooks among some",
        """
        select workspace from webhook_delivery where workspace = any($2::bigint[]) and created_at < $1 and state <> 0
        union select workspace from webhook_reaction where workspace = any($2::bigint[]) and reacted_at < $1
        """)
    private static let length = Statement.read(
        "events of webhooks that wait",
        """
        select count(*), min(created_at)
        from (
            select d.created_at from webhook_delivery d join webhook_subscription s
                on s.workspace = d.workspace and s.id = d.subscription
            where d.state = 0 and s.is_on limit $1
        ) as waiting
        """)

    /// The first event of a queue that is not settled, and whether the subscription is for it now.
    func next(of lease: WebhookLease) async throws -> (event: WebhookDelivery, isWanted: Bool)? {
        try await database.query(Self.next, lease.subscription.id, lease.room, lease.subscription.workspace)
            .first { row throws(PostgresError) in
                (event: try WebhookDelivery(row: &row), isWanted: try row.next())
            }
    }

    /// Ends an event and extends the lease; returns false if the lease has been lost.
    func settle(
        _ event: WebhookDelivery, _ state: WebhookDelivery.State, _ outcome: (status: Int?, error: String?),
        _ lease: inout WebhookLease, until: Timestamp, now: Timestamp
    ) async throws -> Bool {
        let additions = try await database.query(
            Self.settle, lease.subscription.id, lease.room, lease.until.milliseconds, until.milliseconds, event.id,
            state.rawValue, outcome.status, outcome.error, now.milliseconds, lease.subscription.workspace
        ).first { row throws(PostgresError) in try row.next(as: Int64.self) }
        guard let additions else { return false }
        (lease.until, lease.additions, lease.attempts) = (until, additions, 0)
        return true
    }

    /// Ends the lease, and sends the event again at a moment. Returns since when the subscription fails; nil if the lease has
    /// been lost.
    func postpone(
        _ event: WebhookDelivery, _ outcome: (status: Int?, error: String?), _ lease: WebhookLease,
        to moment: Timestamp, now: Timestamp
    ) async throws -> Timestamp? {
        try await database.query(
            Self.postpone, lease.subscription.id, lease.room, lease.until.milliseconds, moment.milliseconds, event.id,
            outcome.status, outcome.error, now.milliseconds, lease.subscription.workspace
        ).first { row throws(PostgresError) in try row.next() }
    }

    /// Ends the lease of an empty queue; returns false if something has been added meanwhile.
    func leave(_ lease: WebhookLease) async throws -> Bool {
        try await database.execute(
            Self.leave, lease.subscription.id, lease.room, lease.until.milliseconds, lease.additions,
            lease.subscription.workspace) == 1
    }

    /// Ends the lease of a queue with events.
    func release(_ lease: WebhookLease, at now: Timestamp) async throws {
        try await database.execute(
            Self.release, lease.subscription.id, lease.room, lease.until.milliseconds, now.milliseconds,
            lease.subscription.workspace)
    }

    /// Deletes events that ended and are older than a moment, with old reactions, `limit` in a statement. While a part of a divided
    /// schema is out of reach, its stay.
    func forget(before moment: Timestamp, limit: Int) async throws {
        let leases = WorkspaceLeaseStore(database: database, finder: sweeps)
        let workspaces = try await leases.workspaces(by: Self.expired, among: Self.expiredAmong, before: moment)
        try await leases.each(of: workspaces, for: .webhookEvents) { workspace in
            while try await database.execute(Self.forget, moment.milliseconds, limit, workspace) == limit {}
        }
    }

    func length() async throws -> QueueLength {
        try await database.query(Self.length, QueueLength.mostCounted).first { row throws(PostgresError) in
            QueueLength(rows: Int(try row.next(as: Int64.self)), oldest: try row.next())
        } ?? QueueLength(rows: 0, oldest: nil)
    }
}

extension WebhookDelivery {
    /// Reads the columns id, room, event, seq, detail, created_at, state, attempts, first_tried_at, tried_at, status, error.
    init(row: inout Row) throws(PostgresError) {
        id = try row.next()
        let room = try row.next(as: Int64.self)
        channel = room > 0 ? ChannelID(room) : nil
        event = WebhookEvent(rawValue: try row.next(as: String.self)) ?? .message
        seq = try row.next()
        detail = try row.next()
        createdAt = try row.next()
        state = State(rawValue: try row.next(as: Int16.self)) ?? .failed
        attempts = Int(try row.next(as: Int64.self))
        tried = (try row.next(), try row.next())
        outcome = (try row.next(as: Int64?.self).map { Int($0) }, try row.next())
    }
}
