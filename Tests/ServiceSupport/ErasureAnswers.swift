public import TestSupport

/// The answer of every table of a schema to the deletion of an account. The tables come from the catalogue, so a new one
/// needs an answer.
public struct ErasureAnswers: Sendable {
    /// The fate of a user's rows in a table.
    public enum Answer: Sendable {
        /// No row fulfils the condition afterwards; `$user` stands for the user's id.
        case erased(String)
        /// The table keeps its rows, for the reason given.
        case kept(String)
    }

    private let schema: String
    private let answers: [String: Answer]

    public init(_ schema: String, _ answers: [String: Answer]) {
        self.schema = schema
        self.answers = answers
    }

    /// The tables without an answer and the answers without a table.
    public func unanswered(in database: TestDatabase) async throws -> [String] {
        let tables = try await database.run(
            sql: """
                select relname from pg_class join pg_namespace on pg_namespace.oid = relnamespace
                where nspname = '\(schema)' and relkind in ('r', 'p') and not relispartition
                """
        ).split(separator: "\n").map(String.init)
        return Set(tables).symmetricDifference(answers.keys).sorted()
    }

    /// The tables that have rows of the user but should have none: all of them before the deletion, none after it.
    public func tables(with user: String, in database: TestDatabase) async throws -> [String] {
        var found: [String] = []
        for (table, answer) in answers {
            guard case .erased(let condition) = answer else { continue }
            let count = try await database.run(
                sql: "select count(*) from \(schema).\(table) where \(condition.replacing("$user", with: user))")
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
