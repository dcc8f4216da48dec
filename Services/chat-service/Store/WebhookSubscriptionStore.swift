import Contract
import Postgres
import Wire

/// The table of outgoing webhooks.
struct WebhookSubscriptionStore: Sendable {
    let database: PostgresPool
    /// Nil for tables on one server.
    var finder: WorkspaceFinder?

    private static let nextID = Statement.write(
        "next subscription id", "select nextval('webhook_subscription_id')")
    private static let insert = Statement.write(
        "insert subscription",
        """
        insert into webhook_subscription (id, workspace, url, events, channels, seed, created_by, created_at)
        select $1::bigint, $2::bigint, $3::text, $4::text[], $5::bigint[], $6::bytea, $7::bigint, $8::bigint
        where (select count(*) from webhook_subscription where workspace = $2) < $9
        """)
    /// Everything that is in the channels by now is not told.
    private static let begin = Statement.write(
        "begin queues of subscription",
        """
        insert into webhook_queue (workspace, subscription, room, seq, rev)
        select $1, $2, id, last_seq, rev from room where workspace = $1::bigint and kind = 1
        on conflict on constraint webhook_queue_pkey do update set seq = excluded.seq, rev = excluded.rev
        """)
    /// The queue of members and channels, with the room 0, keeps the version of the workspace by now. A fact up to it is not told: Redis
    /// gets old ones again after a loss.
    private static let beginFacts = Statement.write(
        "begin facts of subscription",
        """
        insert into webhook_queue (workspace, subscription, room, seq, rev) values ($1, $2, 0, $3, 0)
        on conflict on constraint webhook_queue_pkey do update set seq = excluded.seq
        """)
    private static let list = Statement.read(
        "subscriptions of workspace",
        """
        select id, workspace, url, events, channels, seed, old_seed, old_seed_until, created_by, created_at, is_on,
            off_reason, off_at
        from webhook_subscription where workspace = $1 order by id
        """)
    /// The outcome of a call locks its queue, and then the subscription. So does every change.
    private static let lockQueues = Statement.write(
        "lock queues of subscription",
        "select room from webhook_queue where workspace = $1 and subscription = $2 order by room for update")
    /// A new address ends the leases, which have the old one, and the pauses after its failures.
    private static let renewQueues = Statement.write(
        "renew queues of subscription",
        """
        update webhook_queue set due_at = $3, attempts = 0
        where workspace = $2 and subscription = $1 and due_at is not null
        """)
    private static let change = Statement.write(
        "change subscription",
        """
        update webhook_subscription
        set url = coalesce($2, url), events = coalesce($3, events), channels = coalesce($4, channels),
            failing_since = case when $2::text is null then failing_since end
        where workspace = $5 and id = $1
        """)
    /// Earlier messages of added channels are not told, as with a new subscription.
    private static let beginAdded = Statement.write(
        "begin queues of added channels",
        """
        insert into webhook_queue (workspace, subscription, room, seq, rev)
        select $1, $2, id, last_seq, rev from room
        where workspace = $1::bigint and kind = 1 and not id = any($3::bigint[])
            and exists (select from webhook_subscription where workspace = $1 and id = $2::bigint)
        on conflict on constraint webhook_queue_pkey do update
            set seq = greatest(webhook_queue.seq, excluded.seq), rev = greatest(webhook_queue.rev, excluded.rev)
        """)
    private static let rotate = Statement.write(
        "rotate secret of subscription",
        """
        update webhook_subscription set old_seed = seed, old_seed_until = $3, seed = $2 where workspace = $4 and id = $1
        """)
    /// With a reason, the queue for the notice of it becomes due in the same transaction.
    private static let turnOff = Statement.write(
        "turn subscription off",
        """
        with off as (
            update webhook_subscription set is_on = false, off_reason = $2, off_at = $3
            where workspace = $4 and id = $1 and is_on
            returning id
        ), queues as (
            update webhook_queue set due_at = null
            where workspace = $4 and subscription in (select id from off) and room <> $5
        ), notice as (
            insert into webhook_queue (workspace, subscription, room, seq, rev, due_at, additions)
            select $4, id, $5::bigint, 0, 0, $3::bigint, $3::bigint from off where $2::text is not null
            on conflict on constraint webhook_queue_pkey do update
                set due_at = excluded.due_at, additions = excluded.additions
        )
        select count(*) from off
        """)
    /// Events that wait are sent. Messages and changes of the meantime are not told.
    private static let turnOn = Statement.write(
        "turn subscription on",
        """
        update webhook_subscription set is_on = true, off_reason = null, off_at = null, failing_since = null
        where workspace = $2 and id = $1 and not is_on
        """)
    private static let resume = Statement.write(
        "resume queues of subscription",
        """
        update webhook_queue q set due_at = coalesce(due_at, $2), attempts = 0
        where workspace = $3 and subscription = $1 and exists (
            select from webhook_delivery d
            where d.workspace = $3 and d.subscription = q.subscription and d.room = q.room and d.state = 0)
        """)
    private static let delete = Statement.write(
        "delete subscription", "delete from webhook_subscription where workspace = $2 and id = $1")
    private static let lockAllQueues = Statement.write(
        "lock queues of workspace",
        """
        select room from webhook_queue
        where workspace = $1 and subscription in (select id from webhook_subscription where workspace = $1)
        order by subscription, room for update
        """)
    private static let forget = Statement.write(
        "delete subscriptions of workspace", "delete from webhook_subscription where workspace = $1")

    func nextID() async throws -> WebhookSubscriptionID { try await database.query(Self.nextID).value() }

    /// Inserts a subscription; returns false if its workspace has `limit` of them. Facts up to a version of the workspace are not told.
    func insert(_ subscription: WebhookSubscription, after version: Int64 = 0, limit: Int) async throws -> Bool {
        defer { finder?.note(.webhooks, in: subscription.workspace) }
        return try await database.transaction { tx in
            try await tx.lock(.subscriptions(subscription.workspace))
            let count = try await tx.execute(
                Self.insert, subscription.id, subscription.workspace, subscription.url,
                subscription.events.map(\.rawValue), subscription.channels, subscription.seeds.current,
                subscription.createdBy, subscription.createdAt.milliseconds, limit)
            if count == 1 { try await begin(subscription, after: version, in: tx) }
            return count == 1
        }
    }

    private func begin(
        _ subscription: WebhookSubscription, after version: Int64, in tx: PostgresTransaction
    ) async throws {
        try await tx.execute(Self.begin, subscription.workspace, subscription.id)
        try await tx.execute(Self.beginFacts, subscription.workspace, subscription.id, version)
    }

    /// The subscriptions of a workspace in the order of their making.
    func list(of workspace: WorkspaceID) async throws -> [WebhookSubscription] {
        try await database.query(Self.list, workspace).map(WebhookSubscription.init(row:))
    }

    /// Changes the values that are not nil. Waiting events that it leaves out are not sent.
    func change(
        _ subscription: WebhookSubscription, url: String?, events: [WebhookEvent]?, channels: [ChannelID]?,
        at now: Timestamp
    ) async throws {
        let (workspace, id) = (subscription.workspace, subscription.id)
        try await database.transaction { tx in
            try await tx.query(Self.lockQueues, workspace, id)
            if channels != nil, !subscription.channels.isEmpty {
                try await tx.execute(Self.beginAdded, workspace, id, subscription.channels)
            }
            if url != nil { try await tx.execute(Self.renewQueues, id, workspace, now.milliseconds) }
            try await tx.execute(Self.change, id, url, events?.map(\.rawValue), channels, workspace)
        }
        // Without the locks, which hold up calls. The sender checks each event, so it sends none of these meanwhile.
        if events != nil || channels != nil { try await endLeftOut(subscription) }
    }

    /// Gives a subscription another seed. The one until now also signs until a moment.
    func rotate(_ subscription: WebhookSubscription, to seed: [UInt8], until moment: Timestamp) async throws {
        try await database.execute(
            Self.rotate, subscription.id, seed, moment.milliseconds, subscription.workspace)
    }

    /// Returns false if the subscription is off already.
    ///
    /// - Parameter reason: why it was switched off by itself; nil if a manager has done it. Managers need no notice of that.
    func turnOff(
        _ subscription: WebhookSubscription, because reason: String?, at now: Timestamp
    ) async throws -> Bool {
        try await database.transaction { tx in
            try await tx.query(Self.lockQueues, subscription.workspace, subscription.id)
            return try await tx.query(
                Self.turnOff, subscription.id, reason, now.milliseconds, subscription.workspace, WebhookLease.notice
            ).value(as: Int64.self) == 1
        }
    }

    /// - Parameter version: of the workspace. Facts up to it are not told any more.
    func turnOn(_ subscription: WebhookSubscription, after version: Int64, at now: Timestamp) async throws {
        try await database.transaction { tx in
            try await tx.query(Self.lockQueues, subscription.workspace, subscription.id)
            let count = try await tx.execute(Self.turnOn, subscription.id, subscription.workspace)
            if count == 1 { try await begin(subscription, after: version, in: tx) }
            try await tx.execute(Self.resume, subscription.id, now.milliseconds, subscription.workspace)
        }
    }

    func delete(_ subscription: WebhookSubscription) async throws {
        try await database.transaction { tx in
            try await tx.query(Self.lockQueues, subscription.workspace, subscription.id)
            try await tx.execute(Self.delete, subscription.id, subscription.workspace)
        }
    }

    /// Deletes the subscriptions of a workspace that is deleted.
    func forget(_ workspace: WorkspaceID) async throws {
        try await database.transaction { tx in
            try await tx.query(Self.lockAllQueues, workspace)
            try await tx.execute(Self.forget, workspace)
        }
    }
}

extension WebhookSubscription {
    /// Reads the columns id, workspace, url, events, channels, seed, old_seed, old_seed_until, created_by, created_at, is_on,
    /// off_reason, off_at.
    init(row: inout Row) throws(PostgresError) {
        id = try row.next()
        workspace = try row.next()
        url = try row.next()
        events = try row.next(as: [String].self).compactMap(WebhookEvent.init)
        channels = try row.next()
        let (seed, old, until): ([UInt8], [UInt8]?, Timestamp?) = (try row.next(), try row.next(), try row.next())
        seeds = WebhookSeeds(
            current: seed,
            old: old.flatMap { old in until.map { (old, $0) } })
        createdBy = try row.next()
        createdAt = try row.next()
        let (isOn, reason, offAt): (Bool, String?, Timestamp?) = (try row.next(), try row.next(), try row.next())
        state = isOn ? .on : .off(reason: reason, at: offAt)
    }
}
