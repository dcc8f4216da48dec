import EventLoop
import LoadClient
import TestSupport

/// `load-payment [SECONDS]` measures spends of many users and of one, beside pgbench with the same statements.
@main
struct LoadPayment: MeasuringProgram {
    private static let users = 5000
    private static let callers = 64

    static func measure() async throws {
        let seconds = seconds(or: 10)
        try await PaymentLoadFixture().lent { fixture in try await run(fixture, seconds) }
    }

    private static func run(_ fixture: PaymentLoadFixture, _ seconds: Int) async throws {
        let loops = EventLoopGroup(count: 1)
        let loop = loops.loops[0]
        let port = fixture.service.internalPort
        try await fixture.openAccounts(users + 1)
        // The warm-up fills plan caches, and its sessions show the statements for pgbench.
        async let warmUp = LoadRun.with(callers, connectionsTo: port, on: loop) { run in
            await run.closed(for: .seconds(8), Spend.journey { $0 % users + 1 })
        }
        let peer = try await Pgbench.script(for: fixture, users: users, clients: 8)
        _ = try await warmUp
        var rounds: [(ours: LoadOutcome, peer: Double)] = []
        for _ in 0..<3 {
            let reference = try await peer.run(seconds: seconds).rate
            let (ours, ourCost) = try await cost(of: fixture) {
                try await LoadRun.with(callers, connectionsTo: port, on: loop) { run in
                    await run.closed(for: .seconds(seconds), Spend.journey { $0 % users + 1 })
                }
            }
            rounds.append((ours, reference))
            report("distinct users, \(callers) callers", ours)
            print("    pgbench \(Int(reference)) a second; ratio \(hundredths(ours.rate / reference))")
            let spends = Double(max(1, ours.count))
            let (service, database) = (ourCost.service / spends, ourCost.database / spends)
            print("    CPU a spend: service \(tenths(service)) µs, Postgres \(tenths(database)) µs")
        }
        let best = rounds.max { $0.ours.rate / $0.peer < $1.ours.rate / $1.peer }!
        let median = rounds.map { $0.ours.rate / $0.peer }.sorted()[1]
        let peak = best.ours.rate
        let half = try await LoadRun.with(callers, connectionsTo: port, on: loop) { run in
            await run.open(rate: peak / 2, for: .seconds(seconds), Spend.journey { $0 % users + 1 })
        }
        report("distinct users, half of the peak", half)
        let one = try await LoadRun.with(callers, connectionsTo: port, on: loop) { run in
            await run.closed(for: .seconds(seconds), Spend.journey { _ in users + 1 })
        }
        report("one user, \(callers) callers", one)
        print("")
        var verdicts = Verdicts()
        verdicts.add("of pgbench with the same statements, median: \(hundredths(median)), at least 0.50", median >= 0.5)
        let wait = half.percentile(0.99)
        verdicts.add("p99 at half of the peak: \(tenths(wait)) ms, under 50", wait < 50)
        verdicts.add("one user: \(one.count) spends, \(one.failures.values.reduce(0, +)) errors", one.failures.isEmpty)
        try verdicts.settle()
    }

    /// CPU microseconds of the service and of Postgres for `body`.
    private static func cost<Outcome>(
        of fixture: PaymentLoadFixture, _ body: () async throws -> Outcome
    ) async throws -> (Outcome, (service: Double, database: Double)) {
        let database = try fixture.databaseMeter
        let before = (fixture.service.meter.processorTime, database.processorTime)
        let outcome = try await body()
        let after = (fixture.service.meter.processorTime, database.processorTime)
        return (outcome, (Double(after.0 &- before.0) / 1000, Double(after.1 &- before.1) / 1000))
    }

    private static func report(_ name: String, _ outcome: LoadOutcome) {
        print(
            "\(name): \(Int(outcome.rate)) spends a second, p50 \(tenths(outcome.percentile(0.5))) ms, "
                + "p99 \(tenths(outcome.percentile(0.99))) ms, failures \(outcome.failures)")
    }

    private static func tenths(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
    private static func hundredths(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }
}
