internal import Glibc
public import TestSupport

/// pgbench with a custom script that runs the statements of a service.
public struct PgbenchScript: Sendable {
    private let database: TestDatabase
    private let schema: String
    private let clients: Int
    private let folder = TemporaryFolder("load-pgbench")

    public struct Outcome: Sendable {
        /// Runs of the script per second.
        public let rate: Double
        /// CPU time of Postgres for one run, in microseconds.
        public let cost: Double
    }

    private var path: String { folder.path + "/script" }

    /// - Parameter schema: the schema of the script's tables.
    public init(_ script: String, clients: Int, on database: TestDatabase, schema: String) throws {
        self.database = database
        self.schema = schema
        self.clients = clients
        guard let file = fopen(path, "w") else { throw NeverHappened(description: "a script") }
        fputs(script + "\n", file)
        fclose(file)
    }

    /// A statement of a service in one line, with values in place of its parameters.
    public static func line(_ statement: String, _ values: [String]) -> String {
        var statement = statement
        for (index, value) in values.enumerated().reversed() {
            statement = statement.replacing("$\(index + 1)", with: value)
        }
        return statement.split(whereSeparator: \.isWhitespace).joined(separator: " ") + ";"
    }

    public func run(seconds: Int) async throws -> Outcome {
        let before = database.cluster.processorTime
        let process = try ChildProcess(
            BatchScheduling.command[0],
            BatchScheduling.command.dropFirst() + [
                "/usr/lib/postgresql/15/bin/pgbench", "-n", "-M", "prepared", "-c", "\(clients)", "-j", "2", "-T",
                "\(seconds)", "-f", path,
                database.connectionString + "?options=-csearch_path%3D\(schema)",
            ], log: folder.path + "/log-\(UInt32.random(in: 0 ... .max))")
        guard await process.wait() == 0, !process.output.contains("aborted"),
            let rate = Self.number(behind: "tps = ", process.output),
            let count = Self.number(behind: "number of transactions actually processed: ", process.output)
        else { throw NeverHappened(description: "pgbench: \(process.output)") }
        return Outcome(rate: rate, cost: (database.cluster.processorTime - before) / count * 1e6)
    }

    private static func number(behind mark: String, _ text: String) -> Double? {
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix(mark) }) else { return nil }
        return Double(line.dropFirst(mark.count).prefix { $0.isNumber || $0 == "." })
    }
}
