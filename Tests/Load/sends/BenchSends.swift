import ChatLoad
import LoadClient

/// `bench-sends [SECONDS [SHARE]]`: the peak rate of sends on 64 connections, compared with pgbench. SHARE is the percent of the time in
/// which the search index is written.
@main
struct BenchSends: MeasuringProgram {
    static func measure() async throws {
        try await SendsBenchmark.run(
            seconds: seconds(or: 8), indexShare: CommandLine.arguments.dropFirst(2).first)
    }
}
