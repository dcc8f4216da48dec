import Postgres
import Wire

/// The queues with events that are to be sent.
extension WebhookDeliveryStore {
    private static let take = Statement.write(
        "lease webhook queues",
        """
        with due as materialized (
            select queue.subscription, queue.room
            from (
                select subscription, min(due_at) as first_due from webhook_queue
                where workspace = $6 and due_at <= $1 and not subscription = any($4::bigint[]) group by subscription order by 2 limit $3
            ) as waiting
            cross join lateral (
                select subscription, room from webhook_queue
                where workspace = $6 and subscription = waiting.subscription and due_at <= $1 order by due_at limit $5
                for update skip locked
            ) as queue
        ), leased as (
            update webhook_queue q set due_at = $2 from due
            where q.workspace = $6 and q.subscription = due.subscription and q.room = due.room
            returning q.subscription, q.room, q.attempts, q.additions
        )
        select s.id, s.workspace, s.url, s.events, s.channels, s.seed, s.old_seed, s.old_seed_until, s.created_by,
            s.created_at, s.is_on, s.off_reason, s.off_at, leased.room, leased.attempts, leased.additions,
            s.failing_since is not null
        from leased join webhook_subscription s on s.workspace = $6 and s.id = leased.subscription
        """)
    private static let due = Statement.read(
        "workspaces with due webhook queues",
        """
        select workspace, min(due_at) from webhook_queue where due_at <= $1 and not subscription = any($2::bigint[])
        group by workspace order by 2 limit $3
        """)
    private static let dueAmong = Statement.read(
        "workspaces with due webhook queues among some",
        """
        select workspace, min(due_at) from webhook_queue
        where workspace = any($4::bigint[]) and due_at <= $1 and not subscription = any($2::bigint[])
        group by workspace order by 2 limit $3
        """)
    private static let nextDue = Statement.read("next due webhook queue", "select min(due_at) from webhook_queue")

    /// Leases due queues until a moment: some of each of `limit` subscriptions, without busy ones. A failure for one workspace loses no
    /// lease of another one; it is thrown if nothing is leased.
    func take(
        of limit: Int, each: Int, now: Timestamp, until: Timestamp, except busy: [WebhookSubscriptionID]
    ) async throws -> [WebhookLease] {
        var leases: [WebhookLease] = []
        var failure: (any Error)?
        for workspace in try await dueWorkspaces(now: now, except: busy, limit: limit) {
            let free = limit - Set(leases.map(\.subscription.id)).count
            if free <= 0 { break }
            do {
                leases += try await database.query(
                    Self.take, now.milliseconds, until.milliseconds, free, busy, each, workspace
                ).map { row throws(PostgresError) in
                    WebhookLease(
                        subscription: try WebhookSubscription(row: &row), room: try row.next(),
                        attempts: Int(try row.next(as: Int64.self)), until: until, additions: try row.next(),
                        isFailing: try row.next())
                }
            } catch {
                failure = failure ?? error
            }
        }
        if leases.isEmpty, let failure { throw failure }
        return leases
    }

    /// The workspaces with due queues, the longest due first. While a part of a divided schema is out of reach, its are missing.
    private func dueWorkspaces(
        now: Timestamp, except busy: [WebhookSubscriptionID], limit: Int
    ) async throws -> [WorkspaceID] {
        let moment = now.milliseconds
        guard let finder else {
            return try await database.query(Self.due, moment, busy, limit).map(WorkspaceFinder.DueWorkspace.init(row:))
                .map(\.workspace)
        }
        let found = try await finder.find(
            .webhooks,
            all: { tx in try await tx.query(Self.due, moment, busy, limit).map(WorkspaceFinder.DueWorkspace.init(row:))
            },
            among: { tx, part in
                try await tx.query(Self.dueAmong, moment, busy, limit, part).map(
                    WorkspaceFinder.DueWorkspace.init(row:))
            })
        return found.sorted { $0.since < $1.since }.prefix(limit).map(\.workspace)
    }

    /// The time of the next due queue, or the next end of a lease; nil for none, or if it is not known because a part of a divided schema
    /// is out of reach.
    func nextDue() async throws -> Timestamp? {
        try await WorkspaceFinder.nextDue(by: Self.nextDue, in: database, with: finder)
    }
}
