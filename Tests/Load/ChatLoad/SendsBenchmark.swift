import LoadClient
import TestSupport

/// Sends to 200 rooms on 64 keep-alive connections, compared with pgbench writing the same messages one by one.
public struct SendsBenchmark: Sendable {
    private let chat: LoadedChat
    private let fleet: Fleet
    private let sends: Sends
    private let seconds: Int

    private static let rounds = 5
    private static let minRatio = 1.5
    private static let maxWait = 50.0
    private static let maxMemory = 64 << 20

    /// Starts the service, runs the benchmark and prints the results.
    ///
    /// - Parameters:
    ///   - seconds: the duration of each part.
    ///   - indexShare: the percent of the time in which the search index is written; nil for the default.
    public static func run(seconds: Int, indexShare: String? = nil) async throws {
        try await LoadedChat(indexShare: indexShare).lent { chat in try await SendsBenchmark(chat, seconds).run() }
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
        var (ratios, half): ([Double], LoadOutcome) = ([], LoadOutcome())
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
            half.add(try await atHalf(of: outcome.rate))
        }
        let split = try await Split(
            chat, fleet, sends, total: totals.sorted()[Self.rounds / 2],
            batch: Int(sizes.sorted()[Self.rounds / 2].rounded()), seconds: max(1, seconds / 2))
        print("CPU of the service a send at the peak: \(split)")
        let (ratio, memory) = (ratios.sorted()[Self.rounds / 2], chat.service.meter.residentBytes)
        print("")
        var verdicts = Verdicts()
        verdicts.add(
            "of pgbench, median: \(Report.hundredths(ratio)), at least \(Self.minRatio)", ratio >= Self.minRatio)
        let wait = half.percentile(0.99)
        verdicts.add(
            "p99 at half of the peaks: \(Report.tenths(wait)) ms, under \(Int(Self.maxWait))",
            wait < Self.maxWait && half.failures.isEmpty)
        verdicts.add(
            "resident: \(memory >> 20) MB, at most \(Self.maxMemory >> 20) (anonymous \(chat.service.meter.anonymousBytes >> 20))",
            memory <= Self.maxMemory)
        try verdicts.settle()
    }

    /// Sends at half of the rate just reached. All rounds together take a minute, so that they include a run of
    /// autovacuum and two write-backs by the kernel.
    private func atHalf(of peak: Double) async throws -> LoadOutcome {
        let (sends, batches) = (sends, try await chat.batches())
        let (half, cost) = try await Cost.of(chat) {
            try await fleet.run(for: .seconds(seconds * 3 / 2), rate: peak / 2) { sends.journey() }
        }
        Report.print("half of that", half, of: "sends", cost / half.count)
        let size = Double(half.count) / Double(max(1, try await chat.batches() - batches))
        print("    \(Report.tenths(size)) messages a commit")
        try chat.takePushes()
        return half
    }
}
