import Contract
import Postgres
import Wire

/// Counts the unread messages of rooms, and reads their newest ones.
extension MessageStore {
    private static let states = Statement.read(
        "states of rooms for user",
        """
        select w.kind, w.id, coalesce(r.last_seq, 0), coalesce(r.rev, 0), p.seq,
            case when r.last_seq > p.seq then (
                select count(*) from message u
                where u.workspace = $1 and u.kind = w.kind and u.room = w.id and u.seq > p.seq and u.author <> $4
                    and u.deleted_at is null and not ($6 and u.is_aside) and u.author <> all($8::bigint[])
            ) else 0 end,
            case when $6 and r.last_seq > p.seq then (
                select count(distinct n.seq) from mention n join message u using (workspace, kind, room, seq)
                where n.workspace = $1 and n.kind = w.kind and n.room = w.id and n.user_id = any($7::bigint[])
                    and n.seq > p.seq
                    and u.author <> $4 and not u.is_aside and u.author <> all($8::bigint[])
            ) else 0 end,
            m.seq, m.id, m.author, m.session, left(m.content, $5), m.files, m.created_at, m.client_id, m.rev,
            m.edited_at, m.deleted_at, m.thread, m.is_aside, m.mentions, m.is_scheduled
        from unnest($2::smallint[], $3::bigint[]) with ordinality as w (kind, id, ordinal)
        left join room r on r.workspace = $1 and r.kind = w.kind and r.id = w.id
        left join read_position s on s.workspace = $1 and s.user_id = $4 and s.kind = w.kind and s.room = w.id
        cross join lateral (
            -- The offset keeps the planner from inlining this, so that it runs once for each room.
            select coalesce(
                case when r.last_seq > coalesce(s.seq, 0) then (
                    select o.seq from message o
                    where o.workspace = $1 and o.kind = w.kind and o.room = w.id and o.author = $4
                        and o.seq > coalesce(s.seq, 0) and not o.is_aside
                    order by o.seq desc limit 1
                ) end, s.seq, 0) as seq
            offset 0
        ) p
        left join message m on m.workspace = $1 and m.kind = w.kind and m.room = w.id and m.seq = case
            when $6 and r.has_asides then (
                select t.seq from message t where t.workspace = $1 and t.kind = w.kind and t.room = w.id
                    and not t.is_aside
                order by t.seq desc limit 1)
            else r.last_seq end
        order by w.ordinal
        """)
    private static let unread = Statement.read(
        "count unread",
        """
        with stored as (
            select coalesce($5, max(seq), 0) as seq from read_position
                where user_id = $4 and workspace = $1 and kind = $2 and room = $3
        ), own as (
            select max(seq) as seq from (
                select seq from message
                where $5 is null and workspace = $1 and kind = $2 and room = $3 and author = $4
                    and seq > (select seq from stored)
                    and not is_aside
                order by seq desc limit 1
            ) as last
        )
        select count(*) from message
        where workspace = $1 and kind = $2 and room = $3 and author <> $4 and deleted_at is null and not ($6 and is_aside)
            and author <> all($7::bigint[])
            and seq > (select coalesce(own.seq, stored.seq) from own, stored)
        """)

    /// The counters and newest messages of rooms for a user, including rooms without messages. Those of each workspace are
    /// together.
    ///
    /// - Parameters:
    ///   - blocked: authors; their messages count for nothing.
    ///   - scalars: the length to which the messages' contents are cut.
    ///   - inTimeline: leaves replies out of the counts that are in their threads alone, and counts mentions.
    func states(
        of rooms: [RoomKey], for user: UserID, hiding blocked: Set<UserID>, upTo scalars: Int, inTimeline: Bool
    ) async throws -> [RoomState] {
        if rooms.isEmpty { return [] }
        let parts = Dictionary(grouping: rooms, by: \.workspace).sorted { $0.key < $1.key }
        let (numbers, hidden) = (MessageMention.numbers(of: user), Array(blocked))
        if parts.count == 1 {
            let workspace = parts[0].key
            return try await database.query(
                Self.states, workspace, rooms.map(\.kindNumber), rooms.map(\.rawValue), user, Int32(scalars),
                inTimeline,
                numbers, hidden
            ).map { row throws(PostgresError) in try Self.state(in: workspace, &row) }
        }
        var batch = PostgresBatch()
        for (workspace, rooms) in parts {
            try batch.add(
                Self.states, workspace, rooms.map(\.kindNumber), rooms.map(\.rawValue), user, Int32(scalars),
                inTimeline,
                numbers, hidden)
        }
        return try await zip(parts, database.run(batch)).flatMap { part, rows in
            try rows.map { row throws(PostgresError) in try Self.state(in: part.key, &row) }
        }
    }

    private static func state(in workspace: WorkspaceID, _ row: inout Row) throws(PostgresError) -> RoomState {
        let room = RoomKey(workspace: workspace, id: try row.nextRoom())
        let head = RoomHead(seq: try row.next(), rev: try row.next())
        let (marker, unread, mentions): (Int64, Int64, Int64) = (try row.next(), try row.next(), try row.next())
        let last = head.seq > 0 ? try StoredMessage(room: room, row: &row) : nil
        return RoomState(room: room.id, head: head, readMarker: marker, unread: unread, mentions: mentions, last: last)
    }

    /// Counts the messages by others after `after`, or after the user's read marker if it is nil.
    ///
    /// - Parameters:
    ///   - blocked: authors; their messages count for nothing.
    ///   - inTimeline: leaves out the replies that are in their threads alone.
    func unread(
        in room: RoomKey, for user: UserID, hiding blocked: Set<UserID>, after: Int64?, inTimeline: Bool
    ) async throws -> Int64 {
        try await database.query(
            Self.unread, room.workspace, room.kindNumber, room.rawValue, user, after, inTimeline, Array(blocked)
        ).value()
    }
}
