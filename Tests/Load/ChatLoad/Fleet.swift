import EventLoop
import LoadClient

/// Keep-alive connections to the service on their own loop.
final class Fleet: Sendable {
    private let loops = EventLoopGroup(count: 1)
    private let port: UInt16
    private let size: Int

    init(_ size: Int, to port: UInt16) {
        self.size = size
        self.port = port
    }

    /// Runs journeys on all connections as fast as they can, or `rate` a second.
    func run(
        for duration: Duration, rate: Double? = nil, _ journey: @escaping @Sendable () -> LoadRun.Journey
    ) async throws -> LoadOutcome {
        try await LoadRun.with(size, connectionsTo: port, on: loops.loops[0]) { run in
            if let rate {
                await run.open(rate: rate, for: duration, journey())
            } else {
                await run.closed(for: duration, journey())
            }
        }
    }
}
