import Contract
import Postgres
import Wire

/// The table `second_factor_notice`.
struct SecondFactorNoticeStore: Sendable {
    let database: PostgresPool

    /// A notice that waits is for the newest rule. A member that was told lately is not told again.
    private static let add = Statement.write(
        "add notices of second factor",
        """
        insert into second_factor_notice as n (workspace, user_id, due_at, made_at, send_at)
        select m.workspace, m.user_id, greatest($2, coalesce(m.grace_from, m.joined_at) + $3), $4, $4 from member m
        where m.workspace = $1 and not exists (select from second_factor f where f.user_id = m.user_id and f.is_on)
            and not exists (select from bot b where b.workspace = m.workspace and b.user_id = m.user_id)
        on conflict (workspace, user_id) do update
            set due_at = excluded.due_at, made_at = excluded.made_at, send_at = excluded.send_at
            where n.send_at is not null or n.made_at < $5
        """)
    private static let cancel = Statement.write(
        "cancel notices of second factor",
        "delete from second_factor_notice where workspace = $1 and send_at is not null")
    private static let take = Statement.write(
        "take notices of second factor",
        """
        with due as (
            update second_factor_notice set send_at = $1 + $2
            where (workspace, user_id) in (
                select workspace, user_id from second_factor_notice where send_at <= $1
                order by send_at limit $3 for update skip locked
            )
            returning workspace, user_id, due_at, made_at
        )
        select due.workspace, w.name, due.user_id, due.due_at, due.made_at from due join workspace w on w.id = due.workspace
        """)
    private static let finish = Statement.write(
        "finish notice of second factor",
        "update second_factor_notice set send_at = null where workspace = $1 and user_id = $2 and made_at = $3")
    private static let forget = Statement.write(
        "forget notices of second factor", "delete from second_factor_notice where send_at is null and made_at < $1")

    /// Notes the members without a second factor.
    func add(
        in workspace: WorkspaceID, from moment: Timestamp, grace: Duration, at now: Timestamp,
        unlessToldAfter limit: Timestamp, _ tx: PostgresTransaction
    ) async throws {
        try await tx.execute(
            Self.add, workspace, moment.milliseconds, grace.wholeMilliseconds, now.milliseconds, limit.milliseconds)
    }

    /// Deletes the notices that wait.
    func cancel(in workspace: WorkspaceID, _ tx: PostgresTransaction) async throws {
        try await tx.execute(Self.cancel, workspace)
    }

    /// Leases due notices.
    func take(atMost limit: Int, now: Timestamp, lease: Duration) async throws -> [SecondFactorNotice] {
        try await database.query(Self.take, now.milliseconds, lease.wholeMilliseconds, limit).map {
            row throws(PostgresError) in
            SecondFactorNotice(
                workspace: try row.next(), name: try row.next(), user: try row.next(), due: try row.next(),
                madeAt: try row.next())
        }
    }

    /// Notes that auth-service has a notice, unless a newer one has taken its place.
    func finish(_ notice: SecondFactorNotice) async throws {
        try await database.execute(Self.finish, notice.workspace, notice.user, notice.madeAt.milliseconds)
    }

    func forget(before moment: Timestamp) async throws { try await database.execute(Self.forget, moment.milliseconds) }
}
