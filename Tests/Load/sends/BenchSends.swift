import ChatLoad
import LoadClient

/// `bench-sends [SECONDS]`: sends as fast as 64 connections can, beside pgbench with the same messages.
@main
struct BenchSends: MeasuringProgram {
    static func measure() async throws { try await SendsBenchmark.run(seconds: seconds(or: 8)) }
}
