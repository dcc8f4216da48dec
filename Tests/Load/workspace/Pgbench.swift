import Glibc
import TestSupport

/// pgbench asking Postgres what the service asks it, with the service's own statement.
struct Pgbench {
    private let house: LoadedHouse
    private let script: String
    private let folder = TemporaryFolder("load-pgbench")

    private static let clients = 8

    /// Takes the statement from the server, which shows what a session has sent last; the service must have just sent it.
    init(_ question: Question, _ house: LoadedHouse) async throws {
        self.house = house
        var statement = try await house.database.run(
            sql: """
                select query from pg_stat_activity
                where application_name = 'workspace-service' and strpos(query, '\(question.statement)') > 0 limit 1
                """)
        guard !statement.isEmpty else { throw NeverHappened(description: "a statement with \(question.statement)") }
        for (index, value) in question.values.enumerated().reversed() {
            statement = statement.replacing("$\(index + 1)", with: value)
        }
        script = folder.path + "/script"
        guard let file = fopen(script, "w") else { throw NeverHappened(description: "a script") }
        fputs("\\set user random(2, \(LoadedHouse.users))\n", file)
        fputs(statement.split(whereSeparator: \.isWhitespace).joined(separator: " ") + ";\n", file)
        fclose(file)
    }

    /// Microseconds on a processor that Postgres needs for one, and how many a second there were.
    func run(seconds: Int) async throws -> (cost: Double, rate: Double) {
        let before = house.cluster.processorTime
        let log = folder.path + "/log-\(UInt32.random(in: 0 ... .max))"
        let process = try ChildProcess(
            "/usr/lib/postgresql/15/bin/pgbench",
            [
                "-n", "-M", "prepared", "-c", "\(Self.clients)", "-j", "2", "-T", "\(seconds)", "-f", script,
                house.database.connectionString + "?options=-csearch_path%3Dworkspace",
            ], log: log)
        guard await process.wait() == 0, !process.output.contains("aborted"),
            let rate = Self.number(behind: "tps = ", process.output),
            let count = Self.number(behind: "number of transactions actually processed: ", process.output)
        else { throw NeverHappened(description: "pgbench: \(process.output)") }
        return ((house.cluster.processorTime - before) / count * 1e6, rate)
    }

    private static func number(behind mark: String, _ text: String) -> Double? {
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix(mark) }) else { return nil }
        return Double(line.dropFirst(mark.count).prefix { $0.isNumber || $0 == "." })
    }
}
