import EventLoop
import LoadClient
import Synchronization

/// Posts messages at a steady rate while something else is measured. It has a loop of its own, so that the client's work for
/// sockets does not count as latency of the posts.
final class SteadyPosts: Sendable {
    private static let rate = 40.0
    private static let connections = 16

    private let group: EventLoopGroup
    private let run: LoopBound<LoadRun>
    private let lines: LoopBound<[LoadConnection]>
    private let journey: LoopBound<LoadRun.Journey>
    private let isOver = Mutex(false)

    static func open(to fixture: GatewayFixture) async throws -> SteadyPosts {
        let group = EventLoopGroup(count: 1)
        let loop = group.loops[0]
        let address = SocketAddress(ip: "127.0.0.1", port: fixture.chatPort)!
        let lines = try await loop.run {
            var lines: [LoadConnection] = []
            for _ in 0..<Self.connections { lines.append(try await LoadConnection.open(address, on: loop)) }
            return LoopBound(value: lines)
        }
        return SteadyPosts(group, lines, fixture)
    }

    private init(_ group: EventLoopGroup, _ lines: LoopBound<[LoadConnection]>, _ fixture: GatewayFixture) {
        self.group = group
        self.lines = lines
        run = LoopBound(value: LoadRun(on: group.loops[0], lines.value))
        journey = LoopBound(value: fixture.posting())
    }

    /// Posts for a time.
    func post(for duration: Duration) async throws -> LoadOutcome {
        try await group.loops[0].run { [run, journey] in
            await run.value.open(rate: Self.rate, for: duration, journey.value)
        }
    }

    /// Posts until `end`.
    func postUntilTold() async throws -> LoadOutcome {
        var outcome = LoadOutcome()
        while !isOver.withLock({ $0 }) { outcome.add(try await post(for: .seconds(1))) }
        return outcome
    }

    func end() { isOver.withLock { $0 = true } }

    func close() async throws {
        try await group.loops[0].run { [lines] in
            for line in lines.value { line.close() }
        }
        group.stop()
    }
}

/// Passes a loop-local value to a task that runs on the same loop.
///
/// - Note: `@unchecked Sendable` because it is only used on its loop.
private struct LoopBound<Value>: @unchecked Sendable {
    let value: Value
}
