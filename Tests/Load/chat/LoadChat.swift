import ChatLoad
import LoadClient

/// `load-chat [SECONDS]`: the load test of chat-service. It runs the same benchmark as `bench-sends`.
@main
struct LoadChat: MeasuringProgram {
    static func measure() async throws { try await SendsBenchmark.run(seconds: seconds(or: 8)) }
}
