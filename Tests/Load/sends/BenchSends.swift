import ChatLoad
import LoadClient

/// `bench-sends [SECONDS]`: the peak rate of sends on 64 connections, compared with pgbench.
@main
struct BenchSends: MeasuringProgram {
    static func measure() async throws { try await SendsBenchmark.run(seconds: seconds(or: 8)) }
}
