public import TestSupport

/// The answers of every table of a service to the deletion of an account and to its export. The tables come from the
/// catalogue, so a new one needs both answers. Those of the service's own schema go by their names, others by that of their schema
/// as well, such as `audit.entry`. The export has all data that a deletion erases.
public struct ErasureAnswers: Sendable {
    /// The fate of a user's rows in a table.
    public enum Answer: Sendable {
        /// No row fulfils the condition afterwards; `$user` stands for the user's id.
        case erased(String)
        /// The table keeps its rows, for the reason given.
        case kept(String)
    }

    /// The place of a user's rows in the export.
    public enum Export: Sendable {
        /// A section has a record for each row.
        case section(String)
        /// The rows repeat the data of a section of this or another service, for the reason given.
        case elsewhere(String)
        /// The rows hold secrets, of which the export tells in a section at most.
        case secret(String)
        /// The rows are not the user's, for the reason given. A table that erases rows cannot say so.
        case withheld(String)
    }

    private let schema: String
    private let answers: [String: Answer]
    private let exports: [String: Export]

    public init(_ schema: String, _ answers: [String: Answer], exports: [String: Export]) {
        self.schema = schema
        self.answers = answers
        self.exports = exports
    }

    /// The tables without both answers, the answers without a table, and the tables that erase withheld data.
    public func unanswered(in database: TestDatabase) async throws -> [String] {
        let tables = try await database.run(
            sql: """
                select case when nspname = '\(schema)' then '' else nspname || '.' end || relname
                from pg_class c join pg_namespace n on n.oid = c.relnamespace
                where relkind in ('r', 'p') and not relispartition
                    and nspname !~ '^pg_' and nspname <> 'information_schema' and not exists (
                        select from pg_depend d
                        where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
                """
        ).split(separator: "\n").map(String.init)
        let lost = erasing.filter { table in
            if case .withheld = exports[table] { true } else { false }
        }
        return Set(tables).symmetricDifference(answers.keys).union(Set(tables).symmetricDifference(exports.keys))
            .union(lost).sorted()
    }

    /// The sections that hold rows of tables, but are not in an export.
    public func sections(missingIn export: some Collection<String>) -> [String] {
        exports.values.compactMap { export in
            if case .section(let name) = export { name } else { nil }
        }.filter { !export.contains($0) }.sorted()
    }

    /// The tables that have rows of the user but should have none: all of them before the deletion, none after it.
    public func tables(with user: String, in database: TestDatabase) async throws -> [String] {
        var found: [String] = []
        for (table, answer) in answers {
            guard case .erased(let condition) = answer else { continue }
            let count = try await database.run(
                sql: """
                    select count(*) from \(table.contains(".") ? table : "\(schema).\(table)")
                    where \(condition.replacing("$user", with: user))
                    """)
            if count != "0\n" { found.append(table) }
        }
        return found.sorted()
    }

    /// The tables that erase rows.
    public var erasing: [String] {
        answers.compactMap { table, answer in
            if case .erased = answer { table } else { nil }
        }.sorted()
    }
}
