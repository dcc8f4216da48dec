import Contract
import Postgres
import Wire

/// The rooms with messages that are not indexed yet.
extension SearchIndexStore {
    private static let behind = Statement.read(
        "rooms to index",
        """
        select workspace, kind, id, count(*) over (), (sum(messages) over ())::bigint
        from (
            select room.workspace, room.kind, room.id, room.last_at,
                case when p.form = $1 then greatest(room.last_seq - p.seq, 0) + greatest(room.rev - p.rev, 0)
                    else room.last_seq end as messages
            from room
            left join search_progress p on p.workspace = room.workspace and p.kind = room.kind and p.room = room.id
            where not room.is_closed
        ) as room
        where messages > 0 order by last_at desc limit $2
        """)
    /// Those of some workspaces, with the times of their last messages.
    private static let behindAmong = Statement.read(
        "rooms to index among some workspaces",
        """
        select workspace, kind, id, count(*) over (), (sum(messages) over ())::bigint, last_at
        from (
            select room.workspace, room.kind, room.id, room.last_at,
                case when p.form = $1 then greatest(room.last_seq - p.seq, 0) + greatest(room.rev - p.rev, 0)
                    else room.last_seq end as messages
            from room
            left join search_progress p
                on p.workspace = any($3::bigint[]) and p.workspace = room.workspace and p.kind = room.kind
                    and p.room = room.id
            where room.workspace = any($3::bigint[]) and not room.is_closed
        ) as room
        where messages > 0 order by last_at desc limit $2
        """)

    /// The backlog of one part of a divided schema.
    private struct Part: Sendable {
        let workspaces: [WorkspaceID]
        var backlog = SearchBacklog()
        /// The times of the last messages of its rooms.
        var times: [Int64] = []
    }

    var isDivided: Bool { finder != nil }

    /// New messages of these rooms were committed.
    func noteMessages(in rooms: some Sequence<RoomKey>) {
        guard let finder else { return }
        for workspace in Set(rooms.lazy.map(\.workspace)) { finder.note(.rooms, in: workspace) }
    }

    /// Reads the backlog, with at most `limit` of its rooms, the most recently used first. While a part of a divided schema is out of
    /// reach, its rooms are missing.
    func backlog(limit: Int) async throws -> SearchBacklog {
        let form = SearchEntry.form
        guard let finder else { return try Self.backlog(try await database.query(Self.behind, form, limit)) }
        let all = try await finder.attemptLong { tx in try Self.backlog(try await tx.query(Self.behind, form, limit)) }
        if let all { return all }
        let parts = try await finder.find(in: try await finder.list(of: .rooms)) { tx, workspaces in
            var part = Part(workspaces: workspaces)
            for var row in try await tx.query(Self.behindAmong, form, limit, workspaces) {
                try Self.add(&row, to: &part.backlog)
                part.times.append(try row.next())
            }
            return [part]
        }
        let rooms = parts.flatMap { Array(zip($0.backlog.rooms, $0.times)) }.sorted { $0.1 > $1.1 }
        return SearchBacklog(
            rooms: rooms.prefix(limit).map(\.0), roomCount: parts.reduce(0) { $0 + $1.backlog.roomCount },
            messageCount: parts.reduce(0) { $0 + $1.backlog.messageCount },
            workspaces: Set(parts.flatMap(\.workspaces)))
    }

    private static func backlog(_ rows: Rows) throws(PostgresError) -> SearchBacklog {
        var backlog = SearchBacklog()
        for var row in rows { try add(&row, to: &backlog) }
        return backlog
    }

    /// Reads the columns workspace, kind, id, and the numbers of all rooms and messages.
    private static func add(_ row: inout Row, to backlog: inout SearchBacklog) throws(PostgresError) {
        backlog.rooms.append(try row.nextRoomKey())
        (backlog.roomCount, backlog.messageCount) = (try row.next(), try row.next())
    }
}
