import ChatLoad
import LoadClient

/// `bench-history [SECONDS]`: histories of 30 messages, compared with the CPU time of Postgres.
@main
struct BenchHistory: MeasuringProgram {
    static func measure() async throws { try await HistoryBenchmark.run(seconds: seconds(or: 5)) }
}
