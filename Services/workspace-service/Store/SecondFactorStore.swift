import Contract
import Postgres
import Wire

/// The second factors of users, and the members that workspaces require one of. The grace of a member begins with their
/// joining, or when it began before they left and came back.
struct SecondFactorStore: Sendable {
    let database: PostgresPool

    private static let note = Statement.write(
        "note second factor",
        """
        insert into second_factor (user_id, is_on, version) values ($1, $2, $3)
        on conflict (user_id) do update set is_on = excluded.is_on, version = excluded.version
        where second_factor.version < excluded.version
        """)
    /// A member with a second factor is let in at once, as is one that waits for that after the end of the rule. Other members
    /// without a second factor need it by the end of the grace.
    private static let reconsider = Statement.write(
        "reconsider member without second factor",
        """
        update member m set second_factor_due = case
            when $2 then case when m.locked_out_at is not null then $3::bigint end
            else coalesce(
                (
                    select greatest(w.second_factor_from, coalesce(m.grace_from, m.joined_at) + w.second_factor_grace)
                    from workspace w
                    where w.id = m.workspace and w.second_factor_from is not null
                ),
                case when m.locked_out_at is not null then $3::bigint end
            )
        end
        where m.user_id = $1
        """)
    private static let require = Statement.write(
        "require second factor",
        """
        with required as (
            update workspace set second_factor_from = $2, second_factor_grace = $3 where id = $1 returning id
        )
        update member m set second_factor_due = case
            when m.locked_out_at is not null then $4::bigint else greatest($2, coalesce(m.grace_from, m.joined_at) + $3)
        end
        from required
        where m.workspace = required.id and (
            m.locked_out_at is not null
            or not exists (select from second_factor f where f.user_id = m.user_id and f.is_on)
        )
        """)
    private static let lift = Statement.write(
        "require no second factor",
        """
        with lifted as (
            update workspace set second_factor_from = null where id = $1 returning id
        ), forgotten as (
            delete from second_factor_grace where workspace = $1
        )
        update member m set second_factor_due = case when m.locked_out_at is not null then $2::bigint end
        from lifted
        where m.workspace = lifted.id and (m.locked_out_at is not null or m.second_factor_due is not null)
        """)
    /// Skips workspaces that are being changed: a deletion may take a minute, and the members of others do not wait for it.
    private static let nextDue = Statement.write(
        "workspace with due second factor",
        """
        select w.id from member m join workspace w on w.id = m.workspace
        where second_factor_due <= $1 order by second_factor_due limit 1 for no key update of w skip locked
        """)
    private static let lockDue = Statement.write(
        "lock members with due second factor",
        """
        select user_id from member where workspace = $1 and second_factor_due <= $2
        order by user_id limit $3 for update
        """)
    private static let apply = Statement.write(
        "lock out or let in",
        """
        with decided as (
            select m.user_id, m.locked_out_at is not null as was_out, case
                when w.second_factor_from is null then null
                when exists (select from second_factor f where f.user_id = m.user_id and f.is_on) then null
                else greatest(w.second_factor_from, coalesce(m.grace_from, m.joined_at) + w.second_factor_grace)
            end as deadline
            from member m join workspace w on w.id = m.workspace
            where m.workspace = $1 and m.user_id = any($2::bigint[])
        )
        update member m set
            second_factor_due = case when d.deadline > $3 then d.deadline end,
            locked_out_at = case when d.deadline <= $3 then coalesce(m.locked_out_at, $3) end
        from decided d
        where m.workspace = $1 and m.user_id = d.user_id
        returning m.user_id, d.was_out, m.locked_out_at is not null
        """)
    /// A user may turn the second factor off just while they become a member.
    private static let findForgotten = Statement.write(
        "find forgotten members without second factor",
        """
        update member m set second_factor_due = $1
        from workspace w
        where w.id = m.workspace and w.second_factor_from is not null and m.second_factor_due is null
            and m.locked_out_at is null
            and not exists (select from second_factor f where f.user_id = m.user_id and f.is_on)
        """)
    private static let lacking = Statement.read(
        "members without second factor",
        """
        select m.user_id, case when w.owner = m.user_id then 'owner' else m.role end, m.joined_at,
            greatest(w.second_factor_from, coalesce(m.grace_from, m.joined_at) + w.second_factor_grace),
            w.second_factor_from is not null, m.locked_out_at is not null
        from member m join workspace w on w.id = m.workspace
        where m.workspace = $1 and (m.joined_at, m.user_id) > ($2, $3)
            and not exists (select from second_factor f where f.user_id = m.user_id and f.is_on)
        order by m.joined_at, m.user_id limit $4
        """)
    private static let lockedOut = Statement.read(
        "locked out workspaces of user",
        """
        select m.workspace from member m
        where m.user_id = $1 and m.locked_out_at is not null and (
            m.workspace = any($3::bigint[])
            or m.workspace in (
                select cm.workspace from channel_member cm where cm.user_id = $1 and cm.channel = any($2::bigint[])
            )
        )
        order by m.workspace
        """)

    /// A member that was locked out or let in.
    struct Change: Sendable {
        let user: UserID
        let isLockedOut: Bool
    }

    /// Notes whether a user has a second factor, unless a later version is known, and lets the rule be applied to them.
    func note(_ change: SecondFactorChange, at now: Timestamp) async throws {
        try await database.transaction { tx in
            guard try await tx.execute(Self.note, change.user, change.isOn, change.version) == 1 else { return }
            try await tx.execute(Self.reconsider, change.user, change.isOn, now.milliseconds)
        }
    }

    /// Requires a second factor of all members from a moment on, and of later ones at the end of their grace.
    func require(
        in workspace: WorkspaceID, from moment: Timestamp, grace: Duration, at now: Timestamp,
        _ tx: PostgresTransaction
    ) async throws {
        try await tx.execute(
            Self.require, workspace, moment.milliseconds, grace.wholeMilliseconds, now.milliseconds)
    }

    /// Requires no second factor any more.
    func lift(in workspace: WorkspaceID, at now: Timestamp, _ tx: PostgresTransaction) async throws {
        try await tx.execute(Self.lift, workspace, now.milliseconds)
    }

    /// A workspace with members that the rule has to be applied to, and that no other transaction holds.
    func nextDue(at now: Timestamp) async throws -> WorkspaceID? {
        try await database.query(Self.nextDue, now.milliseconds).first { row throws(PostgresError) in try row.next() }
    }

    /// Locks members that the rule has to be applied to, until the transaction ends.
    func lockDue(
        in workspace: WorkspaceID, at now: Timestamp, limit: Int, _ tx: PostgresTransaction
    ) async throws -> [UserID] {
        try await tx.query(Self.lockDue, workspace, now.milliseconds, limit)
            .map { row throws(PostgresError) in try row.next() }
    }

    /// Locks members out or lets them in. It is a statement of its own after `lockDue`, so that it sees the latest second factors.
    func apply(
        to users: [UserID], in workspace: WorkspaceID, at now: Timestamp, _ tx: PostgresTransaction
    ) async throws -> [Change] {
        let changes = try await tx.query(Self.apply, workspace, users, now.milliseconds).map {
            row throws(PostgresError) -> Change? in
            let (user, wasOut): (UserID, Bool) = (try row.next(), try row.next())
            let isOut: Bool = try row.next()
            return isOut == wasOut ? nil : Change(user: user, isLockedOut: isOut)
        }
        return changes.compactMap(\.self)
    }

    /// Lets the rule be applied to members without a second factor that nothing else would find.
    func findForgotten(at now: Timestamp) async throws {
        try await database.execute(Self.findForgotten, now.milliseconds)
    }

    /// A page of the members without a second factor, in the order of joining.
    func lacking(in workspace: WorkspaceID, _ page: Page) async throws -> [MemberWithoutSecondFactor] {
        try await database.query(Self.lacking, workspace, page.moment, page.id, page.limit)
            .map(MemberWithoutSecondFactor.init(row:))
    }

    /// The workspaces that a user is locked out of, among these and those of the channels that the user is in.
    func lockedOut(
        _ user: UserID, channels: [ChannelID], workspaces: [WorkspaceID]
    ) async throws -> [WorkspaceID] {
        try await database.query(Self.lockedOut, user, channels, workspaces)
            .map { row throws(PostgresError) in try row.next() }
    }
}

extension MemberWithoutSecondFactor {
    /// Reads the columns user, role, joined_at, deadline, is required, is locked out.
    fileprivate init(row: inout Row) throws(PostgresError) {
        user = try row.next()
        role = WorkspaceRole(rawValue: try row.next()) ?? .member
        joinedAt = try row.next()
        let deadline: Timestamp? = try row.next()
        due = try row.next(as: Bool.self) ? deadline : nil
        isLockedOut = try row.next()
    }
}
