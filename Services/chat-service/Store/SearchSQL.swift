import Postgres
import Wire

/// Writes the statement of a look. Conditions that do not apply are left out of the text, so that the planner sees only the
/// others.
struct SearchSQL {
    private var parameters = PostgresParameters()
    private var count = 0

    private static let columns = "created_at, kind, room, seq"
    private static let newestFirst = "order by created_at desc, kind desc, room desc, seq desc"

    /// Returns the text; its parameters are added to `parameters`, which must be empty.
    static func text(
        _ conditions: SearchConditions, _ look: SearchLook, _ parameters: inout PostgresParameters
    ) throws -> String {
        var sql = SearchSQL()
        let place = try sql.place(conditions, look)
        let filter = try sql.filter(conditions)
        let limit = try sql.add(look.limit)
        let text: String
        switch look.method {
        case .newest(let entries):
            // The inner limit bounds the cost, also if few of the entries pass the filter.
            text = """
                select \(columns) from (
                    select * from search_message where \(place) \(newestFirst) limit \(try sql.add(entries))
                ) as newest where \(filter) limit \(limit)
                """
        case .grams:
            // The offset keeps the planner from walking the newest entries in the hope of a match.
            text = """
                select \(columns) from (
                    select \(columns) from search_message where \(place) and \(filter) offset 0
                ) as found \(newestFirst) limit \(limit)
                """
        case .all:
            text = "select \(columns) from search_message where \(place) and \(filter) \(newestFirst) limit \(limit)"
        }
        parameters = sql.parameters
        return text
    }

    /// The workspace and the span of time.
    private mutating func place(_ conditions: SearchConditions, _ look: SearchLook) throws -> String {
        let cursor = look.before
        var terms = ["workspace = \(try add(conditions.workspace))"]
        terms.append(
            """
            (created_at, kind, room, seq) < (\(try add(cursor.createdAt.milliseconds)), \
            \(try add(cursor.room.kindNumber)), \(try add(cursor.room.rawValue)), \(try add(cursor.seq)))
            """)
        // The row comparison alone does not exclude partitions.
        terms.append("created_at <= \(try add(cursor.createdAt.milliseconds))")
        if let from = look.from { terms.append("created_at >= \(try add(from.milliseconds))") }
        if let before = conditions.before { terms.append("created_at < \(try add(before.milliseconds))") }
        if let after = conditions.after { terms.append("created_at >= \(try add(after.milliseconds))") }
        return terms.joined(separator: " and ")
    }

    /// The rooms and the grams.
    private mutating func filter(_ conditions: SearchConditions) throws -> String {
        let channels = conditions.rooms.filter { $0.kind == .channel }.map(\.rawValue)
        let dms = conditions.rooms.filter { $0.kind == .dm }.map(\.rawValue)
        var terms = ["(kind = 1 and room = any(\(try add(channels))) or kind = 2 and room = any(\(try add(dms))))"]
        if !conditions.all.isEmpty { terms.append("grams @> \(try add(conditions.all.sorted()))") }
        for alternatives in conditions.any { terms.append(try oneOf(alternatives)) }
        return terms.joined(separator: " and ")
    }

    private mutating func oneOf(_ alternatives: [SearchConditions.Alternative]) throws -> String {
        if alternatives.allSatisfy({ $0.count == 1 }) { return "grams && \(try add(alternatives.map { $0[0] }))" }
        return "(\(try alternatives.map { "grams @> \(try add($0))" }.joined(separator: " or ")))"
    }

    /// Adds a parameter and returns its name, such as `$3`.
    private mutating func add<Value: PostgresValue>(_ value: Value) throws(PostgresError) -> String {
        try parameters.append(value)
        count += 1
        return "$\(count)"
    }
}
