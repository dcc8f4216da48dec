import Contract
import Postgres
import Wire

/// Reads the heads of rooms with the read markers of a user, and the newest messages of rooms.
extension MessageStore {
    /// A room's head and a user's read marker in it, at one moment.
    struct MarkedRoom: Sendable {
        let room: RoomKey
        let head: RoomHead
        let marker: Int64
    }

    private static let marked = Statement.read(
        "heads and markers of rooms for user",
        """
        select coalesce(r.last_seq, 0), coalesce(r.rev, 0), coalesce(s.seq, 0)
        from unnest($2::smallint[], $3::bigint[]) with ordinality as w (kind, id, ordinal)
        left join room r on r.workspace = $1 and r.kind = w.kind and r.id = w.id
        left join read_position s on s.workspace = $1 and s.user_id = $4 and s.kind = w.kind and s.room = w.id
        order by w.ordinal
        """)
    /// Columns of bits: 1 for a deleted message, 2 for a reply in its thread alone.
    private static let tails = Statement.read(
        "newest messages of rooms",
        """
        select w.kind, w.id, r.last_seq, r.rev,
            array(
                select u.author from message u
                where u.workspace = $1 and u.kind = w.kind and u.room = w.id and u.seq > r.last_seq - $4
                order by u.seq),
            array(
                select (u.deleted_at is not null)::int::bigint + 2 * u.is_aside::int from message u
                where u.workspace = $1 and u.kind = w.kind and u.room = w.id and u.seq > r.last_seq - $4
                order by u.seq),
            array(
                select n.seq from mention n
                where n.workspace = $1 and n.kind = w.kind and n.room = w.id and n.seq > r.last_seq - $4
                order by n.seq, n.user_id limit $5),
            array(
                select n.user_id from mention n
                where n.workspace = $1 and n.kind = w.kind and n.room = w.id and n.seq > r.last_seq - $4
                order by n.seq, n.user_id limit $5),
            m.seq, m.id, m.author, m.session, left(m.content, $6), m.files, m.created_at, m.client_id, m.rev,
            m.edited_at, m.deleted_at, m.thread, m.is_aside, m.mentions, m.is_scheduled
        from unnest($2::smallint[], $3::bigint[]) as w (kind, id)
        join room r on r.workspace = $1 and r.kind = w.kind and r.id = w.id
        join message m on m.workspace = $1 and m.kind = w.kind and m.room = w.id and m.seq = case
            when r.has_asides then (
                select t.seq from message t where t.workspace = $1 and t.kind = w.kind and t.room = w.id
                    and not t.is_aside
                order by t.seq desc limit 1)
            else r.last_seq end
        """)

    /// The heads of rooms and the read markers of a user in them. Those of each workspace are together.
    func marked(in rooms: [RoomKey], of user: UserID) async throws -> [MarkedRoom] {
        if rooms.isEmpty { return [] }
        let parts = Self.parts(rooms)
        if parts.count == 1 {
            let (workspace, rooms) = parts[0]
            let rows = try await database.query(
                Self.marked, workspace, rooms.map(\.kindNumber), rooms.map(\.rawValue), user)
            return try Self.marked(rooms, rows)
        }
        var batch = PostgresBatch()
        for (workspace, rooms) in parts {
            try batch.add(Self.marked, workspace, rooms.map(\.kindNumber), rooms.map(\.rawValue), user)
        }
        return try await zip(parts, database.run(batch)).flatMap { try Self.marked($0.rooms, $1) }
    }

    /// The tails of rooms; rooms without messages are missing.
    func tails(of rooms: [RoomKey]) async throws -> [RoomKey: RoomTail] {
        var batch = PostgresBatch()
        let parts = Self.parts(rooms)
        for (workspace, rooms) in parts {
            try batch.add(
                Self.tails, workspace, rooms.map(\.kindNumber), rooms.map(\.rawValue), RoomTail.length,
                Int32(RoomTail.mostMentions + 1), Int32(RoomTail.contentLength))
        }
        var tails: [RoomKey: RoomTail] = [:]
        for (part, rows) in try await zip(parts, database.run(batch)) {
            for var row in rows {
                let room = RoomKey(workspace: part.workspace, id: try row.nextRoom())
                tails[room] = try Self.tail(of: room, &row)
            }
        }
        return tails
    }

    private static func parts(_ rooms: [RoomKey]) -> [(workspace: WorkspaceID, rooms: [RoomKey])] {
        guard let first = rooms.first else { return [] }
        if rooms.allSatisfy({ $0.workspace == first.workspace }) { return [(first.workspace, rooms)] }
        return Dictionary(grouping: rooms, by: \.workspace).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    private static func marked(_ rooms: [RoomKey], _ rows: Rows) throws -> [MarkedRoom] {
        try zip(rooms, rows).map { room, row in
            var row = row
            return MarkedRoom(
                room: room, head: RoomHead(seq: try row.next(), rev: try row.next()), marker: try row.next())
        }
    }

    private static func tail(of room: RoomKey, _ row: inout Row) throws(PostgresError) -> RoomTail {
        let head = RoomHead(seq: try row.next(), rev: try row.next())
        let (authors, bits): ([UserID], [Int64]) = (try row.next(), try row.next())
        let (seqs, numbers): ([Int64], [Int64]) = (try row.next(), try row.next())
        let messages = zip(authors, bits).map { author, bits in
            RoomTail.Message(author: author, isDeleted: bits & 1 != 0, isAside: bits & 2 != 0)
        }
        let mentions = zip(seqs, numbers).map(RoomTail.Mention.init)
        return RoomTail(
            head: head, last: try StoredMessage(room: room, row: &row), messages: messages,
            mentions: mentions.count > RoomTail.mostMentions ? nil : mentions)
    }
}
