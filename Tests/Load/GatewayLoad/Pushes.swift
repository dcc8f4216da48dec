import EventLoop
import LoadClient

/// Messages posted to rooms whose members are away: how long from the call, and so from before the commit, until FCM is handed
/// them.
struct Pushes {
    var seconds = 10

    private static let membersOfRoom = 6
    private static let rooms = 20
    private static let messagesASecond = 20.0
    private static let connections = 4

    func run(on loop: EventLoop) async throws -> [Figure] {
        let seating = Seating(rooms: Self.rooms, users: Self.rooms * Self.membersOfRoom)
        let house = try await GatewayHouse.start(seating, with: [.chat, .push])
        var connections: [LoadConnection] = []
        for _ in 0..<Self.connections {
            let address = SocketAddress(ip: "127.0.0.1", port: house.chatPort)!
            connections.append(try await LoadConnection.open(address, on: loop))
        }
        let run = LoadRun(on: loop, connections)
        // The first messages wait for the token of FCM and for what services do not know yet, and are not counted.
        let first = try await post(for: 1, run, house)
        let outcome = try await post(for: seconds, run, house)
        for connection in connections { connection.close() }
        await house.stop()
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
                part: "e", what: "pushes handed over", ours: Double(outcome.lags.count),
                target: ("\(outcome.expected)", isWhole), decimals: 0),
        ]
    }

    /// Posts for a while, and waits until everybody who is away has been pushed to.
    private func post(
        for seconds: Int, _ run: LoadRun, _ house: GatewayHouse
    ) async throws -> (lags: [UInt64], expected: Int) {
        let known = house.others.pushed.count
        let outcome = await run.open(rate: Self.messagesASecond, for: .seconds(seconds), house.posting())
        if let failure = outcome.failures.first { throw WebSocketFleet.Failed(reason: "posting: \(failure)") }
        let expected = outcome.count * (Self.membersOfRoom - 1)
        let deadline = EventLoop.preciseNow + 30_000_000_000
        while house.others.pushed.count < known + expected, EventLoop.preciseNow < deadline {
            try await EventLoop.current?.sleep(for: .milliseconds(20))
        }
        return (house.others.pushed.dropFirst(known).map { $0.at - min($0.at, $0.sentAt) }, expected)
    }
}
