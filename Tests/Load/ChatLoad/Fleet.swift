import EventLoop
import LoadClient

/// Kept connections to the service, and a loop of their own.
final class Fleet: Sendable {
    private let loops = EventLoopGroup(count: 1)
    private let port: UInt16
    private let size: Int

    init(_ size: Int, to port: UInt16) {
        self.size = size
        self.port = port
    }

    /// Lets all connections make journeys as fast as they can, or at `rate` a second.
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
