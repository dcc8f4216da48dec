/// The calls that wait while a migration runs, judged by its statements alone. It errs on the side of caution: a statement that it
/// does not know counts as one that locks.
public enum MigrationImpact: String, Sendable, Comparable, CaseIterable {
    /// Reads and writes continue: new tables, columns without work for existing rows, functions, grants.
    case online
    /// Writes of a table wait, for as long as a scan or an index of it takes, or for as long as its rows are changed.
    case locks
    /// A table is rewritten, and no call reads or writes it meanwhile.
    case rewrites

    /// The impact of a script: that of its heaviest statement. Work on tables that the script itself creates is online.
    public init(of script: String) {
        var impact = Self.online
        var created: Set<String> = []
        for statement in Self.statements(in: script) {
            let words = statement.split(whereSeparator: { $0.isWhitespace || "(),;".contains($0) }).map(String.init)
            if words.starts(with: ["create", "table"]) {
                created.insert(words.dropFirst(2).first { !["if", "not", "exists"].contains($0) } ?? "")
            }
            impact = max(impact, Self.impact(of: words, statement, created))
        }
        self = impact
    }

    public static func < (left: MigrationImpact, right: MigrationImpact) -> Bool { left.weight < right.weight }

    private var weight: Int {
        switch self {
        case .online: 0
        case .locks: 1
        case .rewrites: 2
        }
    }

    /// Beginnings of statements that work on no rows that exist.
    private static let harmless = [
        "create table", "create schema", "create function", "create or", "create trigger", "create constraint",
        "create sequence", "create statistics", "analyze",
        "create type", "create view", "create role", "grant", "revoke", "comment", "set", "reset", "select", "do",
        "drop function", "drop trigger", "drop view", "drop index", "drop table", "alter function", "alter sequence",
        "alter default", "insert into",
    ]

    private static func impact(of words: [String], _ statement: String, _ created: Set<String>) -> MigrationImpact {
        switch words.first {
        case "alter" where words.count > 2 && words[1] == "table":
            let name = words.dropFirst(2).first { !["if", "exists", "only"].contains($0) } ?? ""
            return created.contains(name) ? .online : alteration(statement)
        case "lock" where statement.hasSuffix(" in share update exclusive mode"): return .online
        case "create" where words.contains("index") && words.prefix(3).contains("index"):
            if words.contains("concurrently") { return .online }
            let table = words.firstIndex(of: "on").map { words[$0 + 1] }
            return table.map(created.contains) == true ? .online : .locks
        case "update", "delete", "with", "insert":
            let table = words.first == "update" ? words.dropFirst().first : words.dropFirst(2).first
            if words.first == "insert", !words.contains("from") { return .online }
            return table.map(created.contains) == true ? .online : .locks
        default:
            return harmless.contains { words.starts(with: $0.split(separator: " ").map(String.init)) }
                ? .online : .locks
        }
    }

    /// A column without a default, or with a constant one, costs nothing; a new type rewrites the table. Constraints and
    /// `not null` scan it.
    private static func alteration(_ statement: String) -> MigrationImpact {
        let volatile = [
            "random(", "clock_timestamp(", "gen_random_uuid(", "nextval(", "generated always as identity",
            "generated always as (",
        ]
        if statement.contains(" type ") && statement.contains("alter column") { return .rewrites }
        if statement.contains("add column"), volatile.contains(where: statement.contains) { return .rewrites }
        let scans = ["add constraint", "set not null", "add primary key", "add unique", "add foreign key", "add check"]
        if scans.contains(where: statement.contains), !statement.contains("not valid") { return .locks }
        if statement.contains("add column"), statement.contains(" check ") || statement.contains(" references ") {
            return .locks
        }
        return .online
    }

    /// The statements in lower case, without comments, texts and the bodies of functions; blanks are single.
    static func statements(in script: String) -> [String] {
        SQLScript.pieces(of: script).split(separator: .end).map { pieces in
            let statement = pieces.map { piece -> Substring in
                switch piece {
                case .code(let text): text
                case .comment, .end: ""
                case .quoted(let text): text.hasPrefix("\"") ? text : "''"
                }
            }.joined()
            return statement.split(whereSeparator: \.isWhitespace).joined(separator: " ").lowercased()
        }.filter { !$0.isEmpty }
    }
}
