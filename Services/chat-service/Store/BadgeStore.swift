import Contract
import Postgres
import Wire

/// Counts the unread mentions of many users in one query, beside the unread messages of `PushRecipientStore`. While a part of a divided
/// schema is out of reach, it counts in each of the other parts.
struct BadgeStore: Sendable {
    let recipients: PushRecipientStore
    let wide: WideReads
    /// Finds the parts; nil for tables on one server. Has the guard `wide`.
    let finder: WorkspaceFinder?

    /// Begins with the mentions after each read marker, because they are few, and leaves out those before an own message.
    private static let mentions = Statement.read(
        "unread mentions",
        """
        with block as materialized (
            select user_id, blocked from unnest($4::bigint[], $5::bigint[]) as b (user_id, blocked)
        ), place as materialized (
            select user_id, 1::smallint as kind, room from unnest($1::bigint[], $2::bigint[]) as w (user_id, room)
            union all
            select m.user_id, 2::smallint, dm.id from unnest($3::bigint[]) as m (user_id)
            join dm on dm.low = m.user_id and not dm.low_has_left
            union all
            select m.user_id, 2::smallint, dm.id from unnest($3::bigint[]) as m (user_id)
            join dm on dm.high = m.user_id and not dm.high_has_left
        ), unread as materialized (
            select r.workspace, place.user_id, place.kind, place.room, coalesce(p.seq, 0) as seq
            from place
            join room r on r.kind = place.kind and r.id = place.room
            left join read_position p
                on p.workspace = r.workspace and p.user_id = place.user_id and p.kind = place.kind and p.room = place.room
            where r.last_seq > coalesce(p.seq, 0)
        ), counted as (
            select w.user_id, n.seq, w.kind, w.room
            from unread w
            cross join lateral (values (w.user_id), (0::bigint), (-1::bigint)) as named (user_id)
            join mention n on n.workspace = w.workspace and n.user_id = named.user_id and n.kind = w.kind and n.room = w.room
                and n.seq > w.seq
            join message u on u.workspace = n.workspace and u.kind = n.kind and u.room = n.room and u.seq = n.seq
            where u.author <> w.user_id and not u.is_aside and not exists (
                select 1 from message o where o.workspace = n.workspace and o.kind = n.kind and o.room = n.room and o.author = w.user_id
                    and o.seq > n.seq and not o.is_aside)
                and not exists (select 1 from block where block.user_id = w.user_id and block.blocked = u.author)
            union
            select f.user_id, a.seq, f.kind, f.room
            from place join thread_follower f using (user_id, kind, room)
            join reply a on a.workspace = f.workspace and a.kind = f.kind and a.room = f.room and a.root = f.root
                and a.seq > f.read_seq and a.is_aside
            join mention n on n.workspace = a.workspace and n.kind = a.kind and n.room = a.room and n.seq = a.seq
            where f.is_following and n.user_id in (f.user_id, 0, -1) and not exists (
                select 1 from block join message m on m.author = block.blocked
                where block.user_id = f.user_id and m.workspace = a.workspace and m.kind = a.kind and m.room = a.room and m.seq = a.seq)
        )
        select user_id, count(*) from counted group by user_id
        """)

    /// The users, and the rooms in which their unread messages are counted: these channels, all DMs of the users, and the threads in them
    /// that they follow.
    struct Scope: Sendable {
        let users: [UserID]
        /// The members of `channels`, one for each.
        let members: [UserID]
        let channels: [ChannelID]
        /// The users that block those of `blocked`, whose messages do not count.
        let blockers: [UserID]
        let blocked: [UserID]

        init(
            of users: [UserID], in channels: [MembershipsReply.Membership], hiding blocks: [UserID: AuthClient.Blocks]
        ) {
            let pairs = channels.flatMap { membership in membership.channels.map { (membership.user, $0) } }
            let hidden = users.flatMap { user in (blocks[user]?.blocked ?? []).map { (user, $0) } }
            self.users = users
            (members, self.channels) = (pairs.map(\.0), pairs.map(\.1))
            (blockers, blocked) = (hidden.map(\.0), hidden.map(\.1))
        }
    }

    /// Counts of users.
    struct Counts: Sendable {
        var unread: [UserID: Int64] = [:]
        var mentions: [UserID: Int64] = [:]
        /// Whether the rooms of workspaces out of reach are missing.
        var isPartial = false

        fileprivate mutating func add(_ other: Counts) {
            unread.merge(other.unread, uniquingKeysWith: +)
            mentions.merge(other.mentions, uniquingKeysWith: +)
        }
    }

    /// The unread messages of users; nil if they cannot be counted now.
    func unread(of scope: Scope) async throws -> Counts? {
        let all = try await wide.attempt { Counts(unread: try await recipients.unread(of: scope)) }
        if let all { return all }
        return try await sum { tx, part in Counts(unread: try await unread(in: scope, among: part, by: tx)) }
    }

    /// The unread messages of users and those among them that mention the user; nil if they cannot be counted now.
    func badges(of scope: Scope) async throws -> Counts? {
        let all = try await wide.attempt {
            async let unread = recipients.unread(of: scope)
            let mentions = try await recipients.database.query(
                Self.mentions, scope.members, scope.channels, scope.users, scope.blockers,
                scope.blocked
            ).countsOfUsers()
            return Counts(unread: try await unread, mentions: mentions)
        }
        if let all { return all }
        return try await sum { tx, part in
            Counts(
                unread: try await unread(in: scope, among: part, by: tx),
                mentions: try await mentions(in: scope, among: part, by: tx))
        }
    }

    /// Adds up the counts of the parts within reach. Nil if there is none, and if another part was not read for want of a connection:
    /// a count without it would be wrong, and soon there is a right one.
    private func sum(
        _ count: @escaping @Sendable (PostgresTransaction, [WorkspaceID]) async throws -> Counts
    ) async throws -> Counts? {
        guard let finder else { return nil }
        do {
            let workspaces = try await finder.list(of: .rooms)
            let parts = try await finder.find(in: workspaces) { tx, part in
                [(workspaces: part, counts: try await count(tx, part))]
            }
            guard !parts.isEmpty, wide.areLost(workspaces.subtracting(parts.flatMap(\.workspaces))) else { return nil }
            var sum = Counts(isPartial: true)
            for part in parts { sum.add(part.counts) }
            return sum
        } catch let error as PostgresError where error.kind == .exhausted {
            return nil
        }
    }
}
