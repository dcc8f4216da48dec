import Contract
import Postgres
import Wire

/// Reads messages.
struct MessageStore: Sendable {
    let database: PostgresPool

    private static let head = Statement.read(
        "head of room", "select last_seq, rev, has_asides from room where kind = $1 and id = $2")
    private static let newest = Statement.read(
        "time of newest message",
        "select created_at from message where kind = $1 and room = $2 order by seq desc limit 1")
    private static let heads = Statement.read(
        "heads of rooms",
        """
        select room.kind, room.id, room.last_seq, room.rev
        from room join unnest($1::smallint[], $2::bigint[]) as wanted (kind, id) using (kind, id)
        """)
    private static let page = Statement.read(
        "messages after",
        """
        select seq, id, author, session, content, files, created_at, client_id, rev, edited_at, deleted_at, thread,
            is_aside, mentions, is_scheduled
        from (
            select *, sum(octet_length(content)) over (order by seq rows unbounded preceding)
                - octet_length(content) as before
            from message
            where kind = $1 and room = $2 and seq > $3 and seq <= $4 and not ($7 and is_aside) order by seq limit $5
        ) as page
        where before < $6 order by seq
        """)
    /// The same for few messages, without adding up their sizes, which costs a sixth of the statement. Says of each whether it
    /// is too long for that; then its content is missing.
    private static let shortPage = Statement.read(
        "few messages after",
        """
        select octet_length(content) > $6, seq, id, author, session,
            case when octet_length(content) > $6 then '' else content end, files, created_at, client_id, rev, edited_at,
            deleted_at, thread, is_aside, mentions, is_scheduled
        from message
        where kind = $1 and room = $2 and seq > $3 and seq <= $4 and not ($7 and is_aside) order by seq limit $5
        """)
    /// The most messages that are read by it.
    private static let fewMessages: Int64 = 32
    private static let timelineStart = Statement.read(
        "start of timeline page",
        """
        select min(seq) from (
            select seq from message where kind = $1 and room = $2 and seq < $3 and not is_aside order by seq desc limit $4
        ) as page having count(*) = $4
        """)
    private static let timelineEnd = Statement.read(
        "end of timeline page",
        """
        select max(seq) from (
            select seq from message where kind = $1 and room = $2 and seq > $3 and not is_aside order by seq limit $4
        ) as page having count(*) = $4
        """)
    private static let seqAt = Statement.read(
        "seq at moment",
        """
        select coalesce(max(seq), 0) from message where kind = $1 and room = $2 and created_at =
            (select max(created_at) from message where kind = $1 and room = $2 and created_at <= $3)
        """)
    private static let some = Statement.read(
        "messages by seq",
        """
        select m.kind, m.room, r.workspace, m.seq, m.id, m.author, m.session, m.content, m.files, m.created_at,
            m.client_id, m.rev, m.edited_at, m.deleted_at, m.thread, m.is_aside, m.mentions, m.is_scheduled
        from message m join room r on r.kind = m.kind and r.id = m.room
        join unnest($1::smallint[], $2::bigint[], $3::bigint[]) as wanted (kind, room, seq)
            on m.kind = wanted.kind and m.room = wanted.room and m.seq = wanted.seq
        order by m.kind, m.room, m.seq
        """)
    private static let states = Statement.read(
        "states of rooms for user",
        """
        select w.kind, w.id, coalesce(r.last_seq, 0), coalesce(r.rev, 0), p.seq,
            case when r.last_seq > p.seq then (
                select count(*) from message u
                where u.kind = w.kind and u.room = w.id and u.seq > p.seq and u.author <> $3 and u.deleted_at is null
                    and not ($5 and u.is_aside) and u.author <> all($7::bigint[])) else 0 end,
            case when $5 and r.last_seq > p.seq then (
                select count(distinct n.seq) from mention n join message u using (kind, room, seq)
                where n.kind = w.kind and n.room = w.id and n.user_id = any($6::bigint[]) and n.seq > p.seq
                    and u.author <> $3 and not u.is_aside and u.author <> all($7::bigint[])
            ) else 0 end,
            m.seq, m.id, m.author, m.session, left(m.content, $4), m.files, m.created_at, m.client_id, m.rev,
            m.edited_at, m.deleted_at, m.thread, m.is_aside, m.mentions, m.is_scheduled
        from unnest($1::smallint[], $2::bigint[]) with ordinality as w (kind, id, ordinal)
        left join room r on r.kind = w.kind and r.id = w.id
        left join read_position s on s.user_id = $3 and s.kind = w.kind and s.room = w.id
        cross join lateral (
            -- The offset keeps the planner from inlining this, so that it runs once for each room.
            select coalesce(
                case when r.last_seq > coalesce(s.seq, 0) then (
                    select o.seq from message o
                    where o.kind = w.kind and o.room = w.id and o.author = $3 and o.seq > coalesce(s.seq, 0)
                        and not o.is_aside
                    order by o.seq desc limit 1
                ) end, s.seq, 0) as seq
            offset 0
        ) p
        left join message m on m.kind = w.kind and m.room = w.id and m.seq = case
            when $5 and r.has_asides then (
                select t.seq from message t where t.kind = w.kind and t.room = w.id and not t.is_aside
                order by t.seq desc limit 1)
            else r.last_seq end
        order by w.ordinal
        """)
    private static let unread = Statement.read(
        "count unread",
        """
        with stored as (
            select coalesce($4, max(seq), 0) as seq from read_position where user_id = $3 and kind = $1 and room = $2
        ), own as (
            select max(seq) as seq from (
                select seq from message
                where $4 is null and kind = $1 and room = $2 and author = $3 and seq > (select seq from stored)
                    and not is_aside
                order by seq desc limit 1
            ) as last
        )
        select count(*) from message
        where kind = $1 and room = $2 and author <> $3 and deleted_at is null and not ($5 and is_aside)
            and author <> all($6::bigint[])
            and seq > (select coalesce(own.seq, stored.seq) from own, stored)
        """)

    /// The newest seq; 0 for a room without messages.
    func head(of room: RoomID) async throws -> Int64 { try await fullHead(of: room).head.seq }

    /// The newest seq and the revision, both 0 for a room without messages, and whether the room has had replies outside of
    /// its timeline.
    func fullHead(of room: RoomID) async throws -> (head: RoomHead, hasAsides: Bool) {
        try await database.query(Self.head, room.kindNumber, room.rawValue).first { row throws(PostgresError) in
            (head: RoomHead(seq: try row.next(), rev: try row.next()), hasAsides: try row.next())
        } ?? (.empty, false)
    }

    /// The time of the newest message; nil for a room without messages.
    func newest(of room: RoomID) async throws -> Timestamp? {
        try await database.query(Self.newest, room.kindNumber, room.rawValue)
            .first { row throws(PostgresError) in Timestamp(milliseconds: try row.next()) }
    }

    func heads(of rooms: [RoomID]) async throws -> [(room: RoomID, head: RoomHead)] {
        try await database.query(Self.heads, rooms.map(\.kindNumber), rooms.map(\.rawValue))
            .map { row throws(PostgresError) in
                (try row.nextRoom(), RoomHead(seq: try row.next(), rev: try row.next()))
            }
    }

    /// The messages above `after` and up to `through`, oldest first. Ends after `limit` messages, or once their content
    /// has `bytes` bytes.
    ///
    /// - Parameter inTimeline: leaves out the replies that are in their threads alone.
    func page(
        of room: RoomID, after: Int64, through: Int64, limit: Int, bytes: Int, inTimeline: Bool = false
    ) async throws -> [StoredMessage] {
        let count = min(Int64(limit), through - after)
        guard count > 0 else { return [] }
        if count <= Self.fewMessages {
            let longest = Int32(clamping: Int64(bytes) / count)
            var isTooLong = false
            let found = try await database.query(
                Self.shortPage, room.kindNumber, room.rawValue, after, through, limit, longest, inTimeline
            ).map { row throws(PostgresError) in
                if try row.next(as: Bool.self) { isTooLong = true }
                return try StoredMessage(room: room, workspace: nil, row: &row)
            }
            if !isTooLong { return found }
        }
        return try await database.query(
            Self.page, room.kindNumber, room.rawValue, after, through, limit, bytes, inTimeline
        ).map { row throws(PostgresError) in try StoredMessage(room: room, workspace: nil, row: &row) }
    }

    /// The seq of the first of the `count` newest messages of the timeline below a seq; nil if there are fewer.
    func timelineStart(of room: RoomID, before seq: Int64, count: Int) async throws -> Int64? {
        try await database.query(Self.timelineStart, room.kindNumber, room.rawValue, seq, count)
            .first { row throws(PostgresError) in try row.next() }
    }

    /// The seq of the last of the `count` oldest messages of the timeline above a seq; nil if there are fewer.
    func timelineEnd(of room: RoomID, after seq: Int64, count: Int) async throws -> Int64? {
        try await database.query(Self.timelineEnd, room.kindNumber, room.rawValue, seq, count)
            .first { row throws(PostgresError) in try row.next() }
    }

    /// The seq of the last message at or before a moment; 0 if there is none.
    func seq(of room: RoomID, at moment: Timestamp) async throws -> Int64 {
        try await database.query(Self.seqAt, room.kindNumber, room.rawValue, moment.milliseconds).value()
    }

    /// The messages with these seqs; erased ones are missing.
    func find(_ messages: [MessageKey]) async throws -> [StoredMessage] {
        try Self.read(
            try await database.query(
                Self.some, messages.map(\.room.kindNumber), messages.map(\.room.rawValue), messages.map(\.seq)))
    }

    /// Adds the statement that reads the messages with these keys to a batch; `read` reads its result.
    static func add(_ keys: [MessageKey], to batch: inout PostgresBatch) throws(PostgresError) {
        try batch.add(some, keys.map(\.room.kindNumber), keys.map(\.room.rawValue), keys.map(\.seq))
    }

    static func read(_ rows: Rows) throws(PostgresError) -> [StoredMessage] {
        try rows.map { row throws(PostgresError) in
            let room = try row.nextRoom()
            return try StoredMessage(room: room, workspace: try row.next(), row: &row)
        }
    }

    /// The rooms' counters and newest messages for a user, in the order of `rooms`, including rooms without messages.
    ///
    /// - Parameters:
    ///   - blocked: authors; their messages count for nothing.
    ///   - scalars: the length to which the messages' contents are cut.
    ///   - inTimeline: leaves replies out of the counts that are in their threads alone, and counts mentions.
    func states(
        of rooms: [RoomID], for user: UserID, hiding blocked: Set<UserID>, upTo scalars: Int, inTimeline: Bool
    ) async throws -> [RoomState] {
        if rooms.isEmpty { return [] }
        return try await database.query(
            Self.states, rooms.map(\.kindNumber), rooms.map(\.rawValue), user, Int32(scalars), inTimeline,
            MessageMention.numbers(of: user), Array(blocked)
        ).map { row throws(PostgresError) in
            let room = try row.nextRoom()
            let head = RoomHead(seq: try row.next(), rev: try row.next())
            let (marker, unread, mentions): (Int64, Int64, Int64) = (try row.next(), try row.next(), try row.next())
            let last = head.seq > 0 ? try StoredMessage(room: room, workspace: nil, row: &row) : nil
            return RoomState(room: room, head: head, readMarker: marker, unread: unread, mentions: mentions, last: last)
        }
    }

    /// Counts the messages by others after `after`, or after the user's read marker if it is nil.
    ///
    /// - Parameters:
    ///   - blocked: authors; their messages count for nothing.
    ///   - inTimeline: leaves out the replies that are in their threads alone.
    func unread(
        in room: RoomID, for user: UserID, hiding blocked: Set<UserID>, after: Int64?, inTimeline: Bool
    ) async throws -> Int64 {
        try await database.query(
            Self.unread, room.kindNumber, room.rawValue, user, after, inTimeline, Array(blocked)
        ).value()
    }
}
