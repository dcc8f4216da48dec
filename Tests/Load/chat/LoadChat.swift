import ChatLoad
import LoadClient

/// `load-chat [SECONDS]`: the load of chat-service, which is that of `bench-sends`.
@main
struct LoadChat: MeasuringProgram {
    static func measure() async throws { try await SendsBenchmark.run(seconds: seconds(or: 8)) }
}
