import EventLoop
import LoadClient
import TestSupport

/// `load-workspace [SECONDS]`: my-channels of users in 50 channels, and access to 100 channels in one call. Compares
/// the CPU time of the service for a request with that of Postgres for the same statement under pgbench.
@main
struct LoadWorkspace: MeasuringProgram {
    private static let callers = 16
    private static let rounds = 3
    /// The largest allowed ratio of the service's CPU time to that of Postgres.
    private static let limit = 1.5

    static func measure() async throws {
        let seconds = seconds(or: 5)
        try await LoadedWorkspace().lent { workspace in try await run(workspace, seconds) }
    }

    private static func run(_ workspace: LoadedWorkspace, _ seconds: Int) async throws {
        let loops = EventLoopGroup(count: 1)
        var ratios: [(name: String, ratio: Double)] = []
        for query in [MeasuredQuery.myChannels(workspace), .access(workspace)] {
            ratios.append((query.name, try await compare(query, workspace, on: loops.loops[0], seconds)))
        }
        print("")
        var verdicts = Verdicts()
        for (name, ratio) in ratios {
            verdicts.add(
                "\(name): service CPU is \(hundredths(ratio)) of Postgres CPU, at most \(limit)",
                ratio <= limit)
        }
        try verdicts.settle()
    }

    /// The median ratio of several rounds, each with pgbench and then the service.
    private static func compare(
        _ query: MeasuredQuery, _ workspace: LoadedWorkspace, on loop: EventLoop, _ seconds: Int
    ) async throws -> Double {
        _ = try await load(query, on: loop, .seconds(1))
        let peer = try await query.peer(in: workspace)
        var ratios: [Double] = []
        for _ in 0..<rounds {
            let reference = try await peer.run(seconds: seconds)
            let before = (workspace.service.meter.processorTime, workspace.service.cluster.processorTime)
            let outcome = try await load(query, on: loop, .seconds(seconds))
            guard outcome.failures.isEmpty else { throw NeverHappened(description: "no failure: \(outcome.failures)") }
            let count = Double(max(1, outcome.count))
            let service = Double(workspace.service.meter.processorTime - before.0) / 1000 / count
            let database = (workspace.service.cluster.processorTime - before.1) / count * 1e6
            ratios.append(service / reference.cost)
            print(
                """
                \(query.name): \(Int(outcome.rate)) a second, p50 \(hundredths(outcome.percentile(0.5))) ms, \
                p99 \(hundredths(outcome.percentile(0.99))) ms; CPU a request: service \(hundredths(service)) µs, its \
                Postgres \(hundredths(database)) µs; pgbench \(Int(reference.rate)) a second, its Postgres \
                \(hundredths(reference.cost)) µs; ratio \(hundredths(service / reference.cost))
                """)
        }
        return ratios.sorted()[rounds / 2]
    }

    private static func load(
        _ query: MeasuredQuery, on loop: EventLoop, _ duration: Duration
    ) async throws -> LoadOutcome {
        try await LoadRun.with(callers, connectionsTo: query.port, on: loop) { run in
            await run.closed(for: duration, query.journey)
        }
    }

    private static func hundredths(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }
}
