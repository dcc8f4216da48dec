import EventLoop
import LoadClient
import Postgres
import TestSupport

/// Compares the Postgres module at several depths with pgbench, on a private cluster:
///
///     bench-postgres [--rounds 5] [--seconds 2]
///
/// All numbers are medians over rounds that alternate between the contestants.
@main
struct BenchPostgres: MeasuringProgram {
    static func measure() async throws {
        let rounds = argument("--rounds") ?? 5
        let seconds = argument("--seconds") ?? 2
        let cluster = try await PostgresCluster.start()
        let pgbench = Pgbench(cluster: cluster, seconds: seconds)
        try await pgbench.initialize()
        let contestants = [
            Contestant("1 connection, depth 1", connections: 1, callers: 1),
            Contestant("1 connection, depth 32", connections: 1, callers: 32),
            Contestant("8 connections, depth 1", connections: 8, callers: 8),
            Contestant("2 loops, 8 connections, depth 1", connections: 8, callers: 8, loops: 2),
            Contestant("8 connections, depth 4", connections: 8, callers: 32),
        ]
        var measures: [String: [Measure]] = [:]
        for _ in 0..<rounds {
            for contestant in contestants {
                let measure = try await contestant.run(on: cluster, for: .seconds(seconds))
                measures[contestant.name, default: []].append(measure)
            }
            measures[Pgbench.name, default: []].append(try await pgbench.run())
        }
        await cluster.stop()
        try report(contestants.map(\.name) + [Pgbench.name], measures).settle()
    }

    private static func report(_ names: [String], _ measures: [String: [Measure]]) -> Verdicts {
        func median(_ name: String, _ value: (Measure) -> Double) -> Double {
            let values = (measures[name] ?? []).map(value).sorted()
            return values[values.count / 2]
        }
        for name in names {
            let client = rounded(median(name, \.client))
            let server = rounded(median(name, \.server))
            print("\(name): \(Int(median(name, \.rate)))/s, processor us a query: \(client) client, \(server) server")
        }
        // Services run one loop per core. The result of a single loop is shown for comparison only: it idles while the
        // server's sessions occupy both cores.
        let rates = names.map { median($0, \.rate) }
        var verdicts = Verdicts()
        for (what, ratio, least) in [
            ("depth 32 over depth 1", rates[1] / rates[0], 5.0),
            ("2 loops, 8 connections, depth 1, over pgbench", rates[3] / rates[5], 1),
            ("8 connections, depth 4, over pgbench", rates[4] / rates[5], 1),
        ] {
            verdicts.add("\(what): \(rounded(ratio)), at least \(least)", ratio >= least)
        }
        return verdicts
    }

    private static func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }

    private static func argument(_ name: String) -> Int? {
        CommandLine.arguments.firstIndex(of: name).flatMap { index in
            index + 1 < CommandLine.arguments.count ? Int(CommandLine.arguments[index + 1]) : nil
        }
    }
}
