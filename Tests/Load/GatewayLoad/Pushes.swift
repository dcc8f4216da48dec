import EventLoop
import LoadClient

/// Latency of pushes to absent members, from the call that posts the message to its arrival at FCM.
struct Pushes {
    var seconds = 10

    private static let membersOfRoom = 6
    private static let rooms = 20
    private static let messagesASecond = 20.0
    private static let connections = 4

    func run(on loop: EventLoop) async throws -> [Figure] {
        let layout = RoomLayout(rooms: Self.rooms, users: Self.rooms * Self.membersOfRoom)
        let fixture = try await GatewayFixture.start(layout, with: [.chat, .push])
        var connections: [LoadConnection] = []
        for _ in 0..<Self.connections {
            let address = SocketAddress(ip: "127.0.0.1", port: fixture.chatPort)!
            connections.append(try await LoadConnection.open(address, on: loop))
        }
        let run = LoadRun(on: loop, connections)
        // The first messages wait for FCM's token and cold caches, and do not count.
        let first = try await post(for: 1, run, fixture)
        let quiet = fixture.meter.processorTime
        try await loop.sleep(for: .seconds(seconds))
        let start = fixture.meter.processorTime
        let outcome = try await post(for: seconds, run, fixture)
        // Without the time that the gateway spends on nothing in as many seconds.
        let spent = Double(fixture.meter.processorTime - start) - Double(start - quiet)
        for connection in connections { connection.close() }
        await fixture.stop()
        let isWhole = outcome.lags.count == outcome.expected && first.lags.count == first.expected
        let late = Percentile.of(outcome.lags, 0.99) / 1e6
        return [
            Figure(
                part: "e",
                what: "ms from POST to push at p99, \(Int(Self.messagesASecond)) messages/s to 5 devices each",
                ours: late, target: ("below 300", late < 300), decimals: 1),
            Figure(
                part: "e", what: "ms from POST to push at p50", ours: Percentile.of(outcome.lags, 0.5) / 1e6,
                decimals: 1),
            Figure(
                part: "e", what: "CPU µs of the gateway a push",
                ours: spent / 1000 / Double(max(1, outcome.lags.count)),
                decimals: 0),
            Figure(
                part: "e", what: "pushes handed over", ours: Double(outcome.lags.count),
                target: ("\(outcome.expected)", isWhole), decimals: 0),
        ]
    }

    /// Posts for a while, and waits for the pushes to all absent members.
    private func post(
        for seconds: Int, _ run: LoadRun, _ fixture: GatewayFixture
    ) async throws -> (lags: [UInt64], expected: Int) {
        let before = fixture.peers.pushed.count
        let outcome = await run.open(rate: Self.messagesASecond, for: .seconds(seconds), fixture.posting())
        if let failure = outcome.failures.first { throw WebSocketFleet.Failed(reason: "posting: \(failure)") }
        let expected = outcome.count * (Self.membersOfRoom - 1)
        let deadline = EventLoop.preciseNow + 30_000_000_000
        while fixture.peers.pushed.count < before + expected, EventLoop.preciseNow < deadline {
            try await EventLoop.current?.sleep(for: .milliseconds(20))
        }
        return (fixture.peers.pushed.dropFirst(before).map { $0.at - min($0.at, $0.sentAt) }, expected)
    }
}
