import ChatLoad
import LoadClient

/// `bench-changes [SECONDS]`: reactions of 2,000 users to one message, edits compared with sends, and resumptions with histories.
@main
struct BenchChanges: MeasuringProgram {
    static func measure() async throws { try await ChangesBenchmark.run(seconds: seconds(or: 8)) }
}
