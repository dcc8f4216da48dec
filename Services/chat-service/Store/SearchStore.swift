import Contract
import Postgres
import Search
import Wire

/// Reads the search index. It offers messages by their grams; the caller checks their text.
struct SearchStore: Sendable {
    let database: PostgresPool

    /// The conditions that the index can decide.
    struct Conditions: Sendable {
        /// A message must have all of these grams.
        var all: [Int32] = []
        /// A message must have one gram of each of these lists.
        var any: [[Int32]] = []
        let rooms: [RoomID]
        let filters: SearchRequest.Filters
    }

    private static let limitTime = Statement.write(
        "limit time of search", "select set_config('statement_timeout', $1, true)")
    private static let behind = Statement.read(
        "rooms that search misses",
        """
        select count(*)
        from unnest($1::smallint[], $2::bigint[]) as wanted (kind, room)
        join room on room.kind = wanted.kind and room.id = wanted.room
        left join search_progress p on p.kind = wanted.kind and p.room = wanted.room
        where coalesce(p.form, 0) <> $3 and room.last_seq > 0 or room.last_seq - coalesce(p.seq, 0) > $4
        """)

    /// Returns the places of the next candidates before a place, newest first, or nil if the time was over.
    func candidates(
        _ conditions: Conditions, before cursor: SearchCursor, limit: Int, within time: Duration
    ) async throws -> [SearchCursor]? {
        var parameters = PostgresParameters()
        let statement = Statement.read(
            "search messages", unprepared: try Self.sql(conditions, before: cursor, limit: limit, &parameters))
        do {
            return try await database.transaction { tx in
                try await tx.query(Self.limitTime, String(max(1, time.wholeMilliseconds)))
                return try await tx.run(statement, with: parameters).map { row throws(PostgresError) in
                    SearchCursor(createdAt: try row.next(), room: try row.nextRoom(), seq: try row.next())
                }
            }
        } catch let error as PostgresError where error.kind == .timeout {
            return nil
        }
    }

    /// Counts the rooms of which many messages are not in the index yet.
    func countRoomsBehind(_ rooms: [RoomID], by messages: Int) async throws -> Int64 {
        try await database.query(
            Self.behind, rooms.map(\.kindNumber), rooms.map(\.rawValue), SearchEntry.form, messages
        ).value()
    }

    /// Conditions that do not apply are left out of the text, so that the planner sees only the others.
    private static func sql(
        _ conditions: Conditions, before cursor: SearchCursor, limit: Int, _ parameters: inout PostgresParameters
    ) throws -> String {
        var list = ParameterList(parameters)
        var terms: [String] = []
        let filters = conditions.filters
        let channels = conditions.rooms.filter { $0.kind == .channel }.map(\.rawValue)
        let dms = conditions.rooms.filter { $0.kind == .dm }.map(\.rawValue)
        terms.append(
            "(kind = 1 and room = any(\(try list.add(channels))) or kind = 2 and room = any(\(try list.add(dms))))")
        terms.append(
            """
            (created_at, kind, room, seq) < (\(try list.add(cursor.createdAt.milliseconds)), \
            \(try list.add(cursor.room.kindNumber)), \(try list.add(cursor.room.rawValue)), \(try list.add(cursor.seq)))
            """)
        // The row comparison alone does not exclude partitions.
        terms.append("created_at <= \(try list.add(cursor.createdAt.milliseconds))")
        if let before = filters.before { terms.append("created_at < \(try list.add(before.milliseconds))") }
        if let after = filters.after { terms.append("created_at >= \(try list.add(after.milliseconds))") }
        if let authors = filters.authors { terms.append("author = any(\(try list.add(authors)))") }
        if !filters.traits.isEmpty {
            let traits = try list.add(filters.traits.rawValue)
            terms.append("traits & \(traits) = \(traits)")
        }
        if !conditions.all.isEmpty { terms.append("grams @> \(try list.add(conditions.all))") }
        for any in conditions.any { terms.append("grams && \(try list.add(any))") }
        let count = try list.add(limit)
        parameters = list.parameters
        return """
            select created_at, kind, room, seq from search_entry
            where \(terms.joined(separator: " and "))
            order by created_at desc, kind desc, room desc, seq desc limit \(count)
            """
    }
}

/// Parameters and their numbers in the text of a statement.
private struct ParameterList {
    private(set) var parameters: PostgresParameters
    private var count = 0

    init(_ parameters: PostgresParameters) {
        self.parameters = parameters
    }

    /// Adds a parameter and returns its name, such as `$3`.
    mutating func add<Value: PostgresValue>(_ value: Value) throws(PostgresError) -> String {
        try parameters.append(value)
        count += 1
        return "$\(count)"
    }
}
