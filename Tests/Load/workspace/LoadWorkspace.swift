import EventLoop
import LoadClient
import TestSupport

/// `load-workspace [SECONDS]`: my-channels of users in 50 channels, and access to 100 channels at once, beside pgbench with
/// the same statements: what the service itself costs a request is compared with what Postgres costs a query.
@main
struct LoadWorkspace: MeasuringProgram {
    private static let callers = 16
    private static let rounds = 3
    /// Of what Postgres spends on the query, what the service may add.
    private static let limit = 1.5

    static func measure() async throws {
        let seconds = seconds(or: 5)
        try await LoadedHouse().lent { house in try await run(house, seconds) }
    }

    private static func run(_ house: LoadedHouse, _ seconds: Int) async throws {
        let loops = EventLoopGroup(count: 1)
        var ratios: [(name: String, ratio: Double)] = []
        for question in [Question.myChannels(house), .access(house)] {
            ratios.append((question.name, try await compare(question, house, on: loops.loops[0], seconds)))
        }
        print("")
        var verdicts = Verdicts()
        for (name, ratio) in ratios {
            verdicts.add(
                "\(name): the service adds \(hundredths(ratio)) of what Postgres spends, at most \(limit)",
                ratio <= limit)
        }
        try verdicts.settle()
    }

    /// The median of rounds in which both take turns.
    private static func compare(
        _ question: Question, _ house: LoadedHouse, on loop: EventLoop, _ seconds: Int
    ) async throws -> Double {
        _ = try await ask(question, on: loop, .seconds(1))
        let peer = try await question.peer(in: house)
        var ratios: [Double] = []
        for _ in 0..<rounds {
            let reference = try await peer.run(seconds: seconds)
            let before = (house.service.meter.processorTime, house.service.cluster.processorTime)
            let outcome = try await ask(question, on: loop, .seconds(seconds))
            guard outcome.failures.isEmpty else { throw NeverHappened(description: "no failure: \(outcome.failures)") }
            let count = Double(max(1, outcome.count))
            let service = Double(house.service.meter.processorTime - before.0) / 1000 / count
            let database = (house.service.cluster.processorTime - before.1) / count * 1e6
            ratios.append(service / reference.cost)
            print(
                """
                \(question.name): \(Int(outcome.rate)) a second, p50 \(hundredths(outcome.percentile(0.5))) ms, \
                p99 \(hundredths(outcome.percentile(0.99))) ms; CPU a request: service \(hundredths(service)) µs, its \
                Postgres \(hundredths(database)) µs; pgbench \(Int(reference.rate)) a second, its Postgres \
                \(hundredths(reference.cost)) µs; ratio \(hundredths(service / reference.cost))
                """)
        }
        return ratios.sorted()[rounds / 2]
    }

    private static func ask(
        _ question: Question, on loop: EventLoop, _ duration: Duration
    ) async throws -> LoadOutcome {
        try await LoadRun.with(callers, connectionsTo: question.port, on: loop) { run in
            await run.closed(for: duration, question.journey)
        }
    }

    private static func hundredths(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }
}
