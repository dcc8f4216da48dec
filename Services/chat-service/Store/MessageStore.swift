import Contract
import Postgres
import Wire

/// Reads messages.
struct MessageStore: Sendable {
    let database: PostgresPool

    private static let head = Statement.read(
        "head of room", "select last_seq, rev, has_asides from room where workspace = $1 and kind = $2 and id = $3")
    private static let newest = Statement.read(
        "time of newest message",
        "select created_at from message where workspace = $1 and kind = $2 and room = $3 order by seq desc limit 1")
    private static let page = Statement.read(
        "messages after",
        """
        select seq, id, author, session, content, files, created_at, client_id, rev, edited_at, deleted_at, thread,
            is_aside, mentions, is_scheduled
        from (
            select *, sum(octet_length(content)) over (order by seq rows unbounded preceding)
                - octet_length(content) as before
            from message
            where workspace = $1 and kind = $2 and room = $3 and seq > $4 and seq <= $5 and not ($8 and is_aside)
                order by seq limit $6
        ) as page
        where before < $7 order by seq
        """)
    /// The same for few messages, without adding up their sizes, which costs a sixth of the statement. Says of each whether it
    /// is too long for that; then its content is missing.
    private static let shortPage = Statement.read(
        "few messages after",
        """
        select octet_length(content) > $7, seq, id, author, session,
            case when octet_length(content) > $7 then '' else content end, files, created_at, client_id, rev, edited_at,
            deleted_at, thread, is_aside, mentions, is_scheduled
        from message
        where workspace = $1 and kind = $2 and room = $3 and seq > $4 and seq <= $5 and not ($8 and is_aside)
            order by seq limit $6
        """)
    /// The most messages that are read by it.
    private static let fewMessages: Int64 = 32
    private static let timelineStart = Statement.read(
        "start of timeline page",
        """
        select min(seq) from (
            select seq from message where workspace = $1 and kind = $2 and room = $3 and seq < $4 and not is_aside
                order by seq desc limit $5
        ) as page having count(*) = $5
        """)
    private static let timelineEnd = Statement.read(
        "end of timeline page",
        """
        select max(seq) from (
            select seq from message where workspace = $1 and kind = $2 and room = $3 and seq > $4 and not is_aside
                order by seq limit $5
        ) as page having count(*) = $5
        """)
    private static let seqAt = Statement.read(
        "seq at moment",
        """
        select coalesce(max(seq), 0) from message where workspace = $1 and kind = $2 and room = $3 and created_at =
            (select max(created_at) from message where workspace = $1 and kind = $2 and room = $3 and created_at <= $4)
        """)
    private static let some = Statement.read(
        "messages by seq",
        """
        select m.workspace, m.kind, m.room, m.seq, m.id, m.author, m.session, m.content, m.files, m.created_at, m.client_id,
            m.rev, m.edited_at, m.deleted_at, m.thread, m.is_aside, m.mentions, m.is_scheduled
        from message m
        join unnest((select $2::smallint[]), $3::bigint[], $4::bigint[]) as wanted (kind, room, seq)
            on m.kind = wanted.kind and m.room = wanted.room and m.seq = wanted.seq
        where m.workspace = any($1::bigint[])
        order by m.kind, m.room, m.seq
        """)

    /// The newest seq; 0 for a room without messages.
    func head(of room: RoomKey) async throws -> Int64 { try await fullHead(of: room).head.seq }

    /// The newest seq and the revision, both 0 for a room without messages, and whether the room has had replies outside of
    /// its timeline.
    func fullHead(of room: RoomKey) async throws -> (head: RoomHead, hasAsides: Bool) {
        try await database.query(Self.head, room.workspace, room.kindNumber, room.rawValue).first {
            row throws(PostgresError) in
            (head: RoomHead(seq: try row.next(), rev: try row.next()), hasAsides: try row.next())
        } ?? (.empty, false)
    }

    /// The time of the newest message; nil for a room without messages.
    func newest(of room: RoomKey) async throws -> Timestamp? {
        try await database.query(Self.newest, room.workspace, room.kindNumber, room.rawValue)
            .first { row throws(PostgresError) in Timestamp(milliseconds: try row.next()) }
    }

    /// The messages above `after` and up to `through`, oldest first. Ends after `limit` messages, or once their content
    /// has `bytes` bytes.
    ///
    /// - Parameter inTimeline: leaves out the replies that are in their threads alone.
    func page(
        of room: RoomKey, after: Int64, through: Int64, limit: Int, bytes: Int, inTimeline: Bool = false
    ) async throws -> [StoredMessage] {
        let count = min(Int64(limit), through - after)
        guard count > 0 else { return [] }
        if count <= Self.fewMessages {
            let longest = Int32(clamping: Int64(bytes) / count)
            var isTooLong = false
            let found = try await database.query(
                Self.shortPage, room.workspace, room.kindNumber, room.rawValue, after, through, limit, longest,
                inTimeline
            ).map { row throws(PostgresError) in
                if try row.next(as: Bool.self) { isTooLong = true }
                return try StoredMessage(room: room, row: &row)
            }
            if !isTooLong { return found }
        }
        return try await database.query(
            Self.page, room.workspace, room.kindNumber, room.rawValue, after, through, limit, bytes, inTimeline
        ).map { row throws(PostgresError) in try StoredMessage(room: room, row: &row) }
    }

    /// The seq of the first of the `count` newest messages of the timeline below a seq; nil if there are fewer.
    func timelineStart(of room: RoomKey, before seq: Int64, count: Int) async throws -> Int64? {
        try await database.query(Self.timelineStart, room.workspace, room.kindNumber, room.rawValue, seq, count)
            .first { row throws(PostgresError) in try row.next() }
    }

    /// The seq of the last of the `count` oldest messages of the timeline above a seq; nil if there are fewer.
    func timelineEnd(of room: RoomKey, after seq: Int64, count: Int) async throws -> Int64? {
        try await database.query(Self.timelineEnd, room.workspace, room.kindNumber, room.rawValue, seq, count)
            .first { row throws(PostgresError) in try row.next() }
    }

    /// The seq of the last message at or before a moment; 0 if there is none.
    func seq(of room: RoomKey, at moment: Timestamp) async throws -> Int64 {
        try await database.query(Self.seqAt, room.workspace, room.kindNumber, room.rawValue, moment.milliseconds)
            .value()
    }

    /// The messages with these keys; erased ones are missing. Those of each workspace are together.
    func find(_ messages: [MessageKey]) async throws -> [StoredMessage] {
        if messages.isEmpty { return [] }
        var batch = PostgresBatch()
        for (_, keys) in messages.byWorkspace { try Self.add(keys, to: &batch) }
        return try await database.run(batch).flatMap(Self.read)
    }

    /// Adds the statement that reads the messages with these keys to a batch; `read` reads its result. In a schema that is divided
    /// by workspace, they are of one workspace.
    static func add(_ keys: [MessageKey], to batch: inout PostgresBatch) throws(PostgresError) {
        let (kinds, rooms, seqs) = ChangeRows.columns(keys)
        try batch.add(some, keys.distinctWorkspaces, kinds, rooms, seqs)
    }

    static func read(_ rows: Rows) throws(PostgresError) -> [StoredMessage] {
        try rows.map { row throws(PostgresError) in
            let room = try row.nextRoomKey()
            return try StoredMessage(room: room, row: &row)
        }
    }
}
