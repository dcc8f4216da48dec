import Contract
import Postgres
import Search
import Wire

/// Reads the search index. It offers messages by their grams; the caller checks their text.
struct SearchStore: Sendable {
    let database: PostgresPool

    private static let behind = Statement.read(
        "rooms that search misses",
        """
        select count(*)
        from unnest($1::smallint[], $2::bigint[]) as wanted (kind, room)
        join room on room.kind = wanted.kind and room.id = wanted.room
        left join search_progress p on p.kind = wanted.kind and p.room = wanted.room
        where coalesce(p.form, 0) <> $3 and room.last_seq > 0 or room.last_seq - coalesce(p.seq, 0) > $4
        """)

    /// Returns the candidates of a look, newest first, or nil if the time was over.
    func candidates(
        _ conditions: SearchConditions, _ look: SearchLook, within time: Duration
    ) async throws -> [SearchCursor]? {
        var parameters = PostgresParameters()
        let statement = Statement.read(
            "search messages", unprepared: try SearchSQL.text(conditions, look, &parameters))
        let rows: Rows
        do throws(PostgresError) {
            rows = try await database.within(time).run(statement, with: parameters)
        } catch {
            if error.kind == .timeout { return nil }
            throw error
        }
        return try rows.map { row throws(PostgresError) in
            SearchCursor(createdAt: try row.next(), room: try row.nextRoom(), seq: try row.next())
        }
    }

    /// Counts the rooms of which many messages are not in the index yet.
    func countRoomsBehind(_ rooms: [RoomID], by messages: Int) async throws -> Int64 {
        try await database.query(
            Self.behind, rooms.map(\.kindNumber), rooms.map(\.rawValue), SearchEntry.form, messages
        ).value()
    }
}
