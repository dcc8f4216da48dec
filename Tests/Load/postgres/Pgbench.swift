import TestSupport

/// PostgreSQL's benchmark: eight connections, one prepared select at a time on each.
struct Pgbench: Sendable {
    static let name = "pgbench -S -M prepared -c 8"

    private static let sessions = "select count(*) from pg_stat_activity where backend_type = 'client backend'"

    let cluster: PostgresCluster
    let seconds: Int

    func initialize() async throws {
        _ = try await output(["-i", "-q", "-s", "\(Contestant.accounts / 100_000)"])
    }

    func run() async throws -> Measure {
        let before = Measure.Processor(cluster)
        let text = try await output(["-n", "-S", "-M", "prepared", "-c", "8", "-T", "\(seconds)"])
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("tps = ") }),
            let rate = Double(line.dropFirst(6).prefix { $0 != " " })
        else { throw NeverHappened(description: "pgbench: \(text)") }
        // The server counts the time of a session when the session ends.
        try await eventually { try await cluster.run(sql: Self.sessions) == "1\n" }
        let count = Int(rate * Double(seconds))
        return Measure(count: count, elapsed: Double(count) / rate, since: before, cluster)
    }

    private func output(_ arguments: [String]) async throws -> String {
        let place = ["-h", cluster.socketFolder, "-p", "\(cluster.port)", "-U", "postgres", "postgres"]
        let folder = TemporaryFolder("maru-pgbench")
        let process = try ChildProcess("/usr/bin/pgbench", arguments + place, log: folder.path + "/log")
        guard await process.wait() == 0 else { throw NeverHappened(description: "pgbench: \(process.output)") }
        return process.output
    }
}
