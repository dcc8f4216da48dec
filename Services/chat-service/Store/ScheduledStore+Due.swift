import Postgres
import Wire

/// The messages with a time that has come.
extension ScheduledStore {
    private static let take = Statement.write(
        "take due scheduled messages",
        """
        update scheduled set attempts = attempts + 1, due_at = $1 + $2 * (1 << least(attempts, 6))
        where workspace = $4 and id in (
            select id from scheduled where workspace = $4 and failed_code is null and due_at <= $1
            order by due_at limit $3 for update skip locked
        )
        returning id, user_id, session, workspace, kind, room, content, client_id, send_at, created_at, failed_code,
            failed_detail, files, thread, to_room
        """)
    private static let due = Statement.read(
        "workspaces with due scheduled messages",
        """
        select workspace, min(due_at) from scheduled where failed_code is null and due_at <= $1
        group by workspace order by 2 limit $2
        """)
    private static let dueAmong = Statement.read(
        "workspaces with due scheduled messages among some",
        """
        select workspace, min(due_at) from scheduled
        where workspace = any($3::bigint[]) and failed_code is null and due_at <= $1
        group by workspace order by 2 limit $2
        """)
    private static let nextDue = Statement.read(
        "next due scheduled message", "select min(due_at) from scheduled where failed_code is null")

    /// Leases due messages. Other instances may take those that are not finished when the lease ends. A failure for one workspace loses no
    /// messages of another one; it is thrown if nothing is leased.
    func take(atMost limit: Int, now: Timestamp, lease: Duration) async throws -> [ScheduledMessage] {
        var taken: [ScheduledMessage] = []
        var failure: (any Error)?
        for workspace in try await dueWorkspaces(now: now, limit: limit) where taken.count < limit {
            do {
                taken += try await database.query(
                    Self.take, now.milliseconds, lease.wholeMilliseconds, limit - taken.count, workspace
                ).map(ScheduledMessage.init(row:))
            } catch {
                failure = failure ?? error
            }
        }
        if taken.isEmpty, let failure { throw failure }
        return taken
    }

    /// The workspaces with due messages, the longest due first. While a part of a divided schema is out of reach, its are missing.
    private func dueWorkspaces(now: Timestamp, limit: Int) async throws -> [WorkspaceID] {
        let moment = now.milliseconds
        guard let finder else {
            return try await database.query(Self.due, moment, limit).map(WorkspaceFinder.DueWorkspace.init(row:))
                .map(\.workspace)
        }
        let found = try await finder.find(
            .scheduled,
            all: { tx in try await tx.query(Self.due, moment, limit).map(WorkspaceFinder.DueWorkspace.init(row:)) },
            among: { tx, part in
                try await tx.query(Self.dueAmong, moment, limit, part).map(WorkspaceFinder.DueWorkspace.init(row:))
            })
        return found.sorted { $0.since < $1.since }.prefix(limit).map(\.workspace)
    }

    /// The time of the next due message; nil for none, or if it is not known because a part of a divided schema is out of reach.
    func nextDue() async throws -> Timestamp? {
        try await WorkspaceFinder.nextDue(by: Self.nextDue, in: database, with: finder)
    }
}
