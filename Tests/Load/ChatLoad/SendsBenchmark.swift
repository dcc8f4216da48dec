import LoadClient
import TestSupport

/// Sends into 200 rooms on 64 kept connections, beside pgbench that writes the same messages one by one.
public struct SendsBenchmark: Sendable {
    private let chat: LoadedChat
    private let fleet: Fleet
    private let sends: Sends
    private let seconds: Int

    private static let rounds = 5
    private static let halfRounds = 3
    private static let leastRatio = 1.5
    private static let longestWait = 50.0
    private static let mostMemory = 64 << 20

    /// Starts what it needs, runs, prints what came of it, and ends what it started.
    ///
    /// - Parameter seconds: how long each part of it lasts.
    public static func run(seconds: Int) async throws {
        try await LoadedChat().lent { chat in try await SendsBenchmark(chat, seconds).run() }
    }

    private init(_ chat: LoadedChat, _ seconds: Int) {
        self.chat = chat
        self.seconds = seconds
        fleet = Fleet(Sends.users, to: chat.service.publicPort)
        sends = Sends(chat.peers)
    }

    private func run() async throws {
        let sends = sends
        let peer = try await Pgbench.script(for: chat)
        _ = try await fleet.run(for: .seconds(3)) { sends.journey() }
        _ = try await peer.run(seconds: 1)
        var (ratios, peak): ([Double], Double) = ([], 0)
        var (totals, sizes): ([Double], [Double]) = ([], [])
        for _ in 0..<Self.rounds {
            let reference = try await peer.run(seconds: seconds)
            let batches = try await chat.batches()
            let (outcome, cost) = try await Cost.of(chat) {
                try await fleet.run(for: .seconds(seconds)) { sends.journey() }
            }
            Report.print("\(Sends.users) connections", outcome, of: "sends", cost / outcome.count)
            let size = Double(outcome.count) / Double(max(1, try await chat.batches() - batches))
            print("    \(Report.tenths(size)) messages a commit")
            let ratio = outcome.rate / reference.rate
            print(
                "    pgbench \(Int(reference.rate)) a second, Postgres \(Report.tenths(reference.cost)) µs each; ratio "
                    + Report.hundredths(ratio))
            ratios.append(ratio)
            totals.append((cost / outcome.count).service)
            sizes.append(size)
            try chat.takePushes()
            peak = max(peak, outcome.rate)
        }
        let (waits, failures) = try await waits(at: peak / 2)
        let split = try await Split(
            chat, fleet, sends, total: totals.sorted()[Self.rounds / 2],
            batch: Int(sizes.sorted()[Self.rounds / 2].rounded()), seconds: max(1, seconds / 2))
        print("CPU of the service a send at the peak: \(split)")
        let (ratio, memory) = (ratios.sorted()[Self.rounds / 2], chat.service.meter.residentBytes)
        print("")
        var verdicts = Verdicts()
        verdicts.add(
            "of pgbench, median: \(Report.hundredths(ratio)), at least \(Self.leastRatio)", ratio >= Self.leastRatio)
        let wait = waits.sorted()[waits.count / 2]
        verdicts.add(
            "p99 at half of the peak, median: \(Report.tenths(wait)) ms, under \(Int(Self.longestWait))",
            wait < Self.longestWait && failures == 0)
        verdicts.add(
            "resident: \(memory >> 20) MB, at most \(Self.mostMemory >> 20) (anonymous \(chat.service.meter.anonymousBytes >> 20))",
            memory <= Self.mostMemory)
        try verdicts.settle()
    }

    /// The p99 of each of a few rounds at a rate: autovacuum, which comes once a minute, takes part in one of them.
    private func waits(at rate: Double) async throws -> (p99s: [Double], failures: Int) {
        let sends = sends
        var (waits, failures): ([Double], Int) = ([], 0)
        for _ in 0..<Self.halfRounds {
            let batches = try await chat.batches()
            let (outcome, cost) = try await Cost.of(chat) {
                try await fleet.run(for: .seconds(seconds), rate: rate) { sends.journey() }
            }
            Report.print("half of the peak", outcome, of: "sends", cost / outcome.count)
            let size = Double(outcome.count) / Double(max(1, try await chat.batches() - batches))
            print("    \(Report.tenths(size)) messages a commit")
            waits.append(outcome.percentile(0.99))
            failures += outcome.failures.count
            try chat.takePushes()
        }
        return (waits, failures)
    }
}
