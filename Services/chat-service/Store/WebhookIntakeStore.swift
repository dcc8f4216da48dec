import Contract
import Postgres
import Wire

/// Puts events into the queues of subscriptions. The row of a queue has the messages and changes that it contains, so that each
/// one is put there once and in its order by any number of instances.
struct WebhookIntakeStore: Sendable {
    let database: PostgresPool
    /// Nil for tables on one server.
    var finder: WorkspaceFinder?

    /// A channel with messages or changes that a queue does not have yet.
    struct Stale: Sendable, Hashable {
        let workspace: WorkspaceID
        let subscription: WebhookSubscriptionID
        let channel: ChannelID

        /// Reads the columns workspace, subscription, room.
        init(row: inout Row) throws(PostgresError) {
            workspace = try row.next()
            subscription = try row.next()
            channel = try row.next()
        }
    }

    private static let stale = Statement.read(
        "stale webhook queues",
        """
        select s.workspace, s.id, room.id
        from webhook_subscription s join room on room.workspace = s.workspace and room.kind = 1
        left join webhook_queue q on q.workspace = s.workspace and q.subscription = s.id and q.room = room.id
        where s.is_on and ($1::bigint[] is null or s.workspace = any($1))
            and (room.last_seq > coalesce(q.seq, 0) or room.rev > coalesce(q.rev, 0))
            and (s.channels = '{}' or room.id = any(s.channels))
        limit $2
        """)
    /// Each table names the workspaces, because a router of shards concludes nothing from one about another.
    private static let staleAmong = Statement.read(
        "stale webhook queues of workspaces",
        """
        select s.workspace, s.id, room.id
        from webhook_subscription s
        join room on room.workspace = any($1::bigint[]) and room.workspace = s.workspace and room.kind = 1
        left join webhook_queue q
            on q.workspace = any($1::bigint[]) and q.workspace = s.workspace and q.subscription = s.id
                and q.room = room.id
        where s.workspace = any($1::bigint[]) and s.is_on
            and (room.last_seq > coalesce(q.seq, 0) or room.rev > coalesce(q.rev, 0))
            and (s.channels = '{}' or room.id = any(s.channels))
        limit $2
        """)
    /// Nothing for a subscription that has been deleted or switched off meanwhile. If the queue exists, the subscription is not locked,
    /// because changes lock the queues first.
    private static let make = Statement.write(
        "make webhook queue",
        """
        insert into webhook_queue (workspace, subscription, room, seq, rev)
        select s.workspace, s.id, $2::bigint, 0, 0 from webhook_subscription s
        where s.workspace = $3 and s.id = $1 and s.is_on and not exists (
            select from webhook_queue q where q.workspace = $3 and q.subscription = $1 and q.room = $2)
        for key share of s
        on conflict do nothing
        """)
    private static let lock = Statement.write(
        "lock webhook queue",
        "select seq, rev from webhook_queue where workspace = $3 and subscription = $1 and room = $2 for update")
    /// Ends after `$3` messages and `$4` changes. Nothing of a channel that has left the subscription meanwhile.
    private static let heads = Statement.read(
        "news of channel",
        """
        select least(room.last_seq, q.seq + $3), (
            select max(rev) from (
                select rev from message_change c
                where c.workspace = $5 and c.kind = 1 and c.room = q.room and c.rev > q.rev and c.rev <= room.rev
                order by rev limit $4
            ) as page
        ), (
            select count(*) from (
                select from message_change c
                where c.workspace = $5 and c.kind = 1 and c.room = q.room and c.rev > q.rev and c.rev <= room.rev
                limit $4
            ) as page
        ), room.rev
        from webhook_queue q join room on room.workspace = $5 and room.kind = 1 and room.id = q.room
        where q.workspace = $5 and q.subscription = $1 and q.room = $2 and exists (
            select from webhook_subscription s
            where s.workspace = $5 and s.id = $1 and (s.channels = '{}' or q.room = any(s.channels)))
        """)
    private static let addMessages = Statement.write(
        "queue messages for webhook",
        """
        insert into webhook_delivery (workspace, subscription, room, event, seq, created_at)
        select $5::bigint, $1::bigint, $2::bigint, kind.event, message.seq, message.created_at
        from message
        cross join (values (1, 'message'), (2, 'mention')) as kind (place, event)
        where message.workspace = $5 and message.kind = 1 and message.room = $2 and message.seq > $3 and message.seq <= $4
            and kind.event = any((select events from webhook_subscription where workspace = $5 and id = $1)::text[])
            and (kind.event = 'message' or coalesce(message.mentions, '{}') <> '{}')
        order by message.seq, kind.place
        """)
    private static let addChanges = Statement.write(
        "queue changes for webhook",
        """
        insert into webhook_delivery (workspace, subscription, room, event, seq, detail, created_at)
        select $6::bigint, $1::bigint, $2::bigint, event, seq, detail, $5::bigint
        from (
            select 1 as place, rev, 'changed' as event, seq, null::text as detail
            from message_change where workspace = $6 and kind = 1 and room = $2 and rev > $3 and rev <= $4
            union all
            select 2, rev, 'reaction', seq, json_build_object(
                'emoji', emoji, 'user_id', user_id::text, 'action', case when is_added then 'added' else 'removed' end)::text
            from webhook_reaction where workspace = $6 and room = $2 and rev > $3 and rev <= $4
        ) as news
        where event = any((select events from webhook_subscription where workspace = $6 and id = $1)::text[])
        order by rev, place
        """)
    private static let move = Statement.write(
        "move webhook queue",
        """
        update webhook_queue set seq = greatest(seq, $3), rev = greatest(rev, $4), additions = additions + 1,
            due_at = case when exists (
                select from webhook_delivery d
                where d.workspace = $6 and d.subscription = $1 and d.room = $2 and d.state = 0
            ) then coalesce(due_at, $5) else due_at end
        where workspace = $6 and subscription = $1 and room = $2
        """)
    /// Only for subscriptions that began before the fact: Redis gets old facts again after a loss. Citus refuses the statement unless
    /// its tables are joined by their workspaces.
    private static let addFact = Statement.write(
        "queue fact for webhooks",
        """
        with added as (
            insert into webhook_delivery (workspace, subscription, room, event, detail, key, created_at)
            select workspace, id, 0, $2::text, $3::text, $4::text, $5::bigint from webhook_subscription s
            where workspace = $1 and is_on and $2 = any(events)
                and ($6::bigint is null or channels = '{}' or $6 = any(channels))
                and not exists (
                    select from webhook_queue q
                    where q.workspace = $1 and q.workspace = s.workspace and q.subscription = s.id
                        and q.room = 0 and q.seq >= $7::bigint)
            on conflict do nothing
            returning workspace, subscription
        )
        insert into webhook_queue (workspace, subscription, room, seq, rev, due_at, additions)
        select workspace, subscription, 0, 0, 0, $5::bigint, 1 from added
        on conflict on constraint webhook_queue_pkey do update
        set due_at = coalesce(webhook_queue.due_at, excluded.due_at), additions = webhook_queue.additions + 1
        """)

    private static let pageSize = 500

    /// The channels with news for subscriptions. While a part of a divided schema is out of reach, its are missing.
    ///
    /// - Parameters:
    ///   - workspaces: only of these; nil for all.
    ///   - limit: the most of them, of each part if the parts of a divided schema are read one by one.
    func stale(in workspaces: Set<WorkspaceID>?, limit: Int) async throws -> [Stale] {
        guard let finder else {
            return try await database.query(Self.stale, workspaces.map { Array($0) }, limit).map(Stale.init(row:))
        }
        let among: @Sendable (PostgresTransaction, [WorkspaceID]) async throws -> [Stale] = { tx, part in
            try await tx.query(Self.staleAmong, part, limit).map(Stale.init(row:))
        }
        if let workspaces { return try await finder.find(in: workspaces, among) }
        return try await finder.find(
            .webhooks,
            all: { tx in try await tx.query(Self.stale, nil as [WorkspaceID]?, limit).map(Stale.init(row:)) },
            among: among)
    }

    /// Puts the news of a channel into a queue, in their order: messages, and then changes. Ends after a page.
    func gather(_ stale: Stale, at now: Timestamp) async throws {
        let (workspace, subscription, channel) = (stale.workspace, stale.subscription, stale.channel)
        try await database.transaction { tx in
            var batch = PostgresBatch()
            try batch.add(Self.make, subscription, channel, workspace)
            try batch.add(Self.lock, subscription, channel, workspace)
            // Its snapshot is taken after the wait for the lock.
            try batch.add(Self.heads, subscription, channel, Self.pageSize, Self.pageSize, workspace)
            let results = try await tx.run(batch)
            let known = try results[1].first { row throws(PostgresError) in
                (seq: try row.next(as: Int64.self), rev: try row.next(as: Int64.self))
            }
            let heads = try results[2].first { row throws(PostgresError) in
                let seq = try row.next(as: Int64.self)
                let (end, count): (Int64?, Int64) = (try row.next(), try row.next())
                // A message that changes now gets a higher revision, and is found then.
                let head = try row.next(as: Int64.self)
                return (seq: seq, rev: count < Self.pageSize ? head : end ?? head)
            }
            guard let known, let heads else { return }
            var writing = PostgresBatch()
            if heads.seq > known.seq {
                try writing.add(Self.addMessages, subscription, channel, known.seq, heads.seq, workspace)
            }
            if heads.rev > known.rev {
                try writing.add(
                    Self.addChanges, subscription, channel, known.rev, heads.rev, now.milliseconds, workspace)
            }
            guard writing.count > 0 else { return }
            try writing.add(Self.move, subscription, channel, heads.seq, heads.rev, now.milliseconds, workspace)
            try await tx.run(writing)
        }
    }

    /// Puts an event of members or channels into the queues of all subscriptions to it, once for each key.
    ///
    /// - Parameters:
    ///   - workspace: the workspace at the version of the event.
    ///   - channel: the channel of the event; nil if it is of the whole workspace.
    func add(
        _ event: WebhookEvent, detail: String, key: String, in workspace: WorkspaceVersion, channel: ChannelID?,
        at now: Timestamp
    ) async throws {
        try await database.execute(
            Self.addFact, workspace.workspace, event.rawValue, detail, key, now.milliseconds, channel,
            workspace.version)
    }
}
