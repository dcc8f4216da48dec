import EventLoop
import LoadClient
import Wire

/// Latency of messages that members of many rooms post to chat-service, from the call to the sockets.
struct Posts {
    var sockets = 10_000
    var seconds = 10

    private static let membersOfRoom = 10
    private static let deliveriesASecond = 1000.0
    private static let connections = 64
    private static let warmUpRate = 500

    func run(on loop: EventLoop) async throws -> [Figure] {
        let fixture = try await GatewayFixture.start(RoomLayout(rooms: rooms, users: sockets), with: .chat)
        let subscribers = SubscriberFleet(sockets, on: loop)
        try await subscribers.connect(to: MeasuredGateway(fixture: fixture))
        var connections: [LoadConnection] = []
        for _ in 0..<Self.connections {
            let address = SocketAddress(ip: "127.0.0.1", port: fixture.chatPort)!
            connections.append(try await LoadConnection.open(address, on: loop))
        }
        let run = LoadRun(on: loop, connections)
        let journey = fixture.posting()
        try await warmUp(subscribers, run, journey)
        subscribers.reset()
        let outcome = await run.open(
            rate: Self.deliveriesASecond / Double(Self.membersOfRoom), for: .seconds(seconds), journey)
        let expected = outcome.count * Self.membersOfRoom
        let isWhole =
            await subscribers.awaitDeliveries(expected) && subscribers.deliveries == expected
            && outcome.failures.isEmpty
        subscribers.disconnect()
        for connection in connections { connection.close() }
        await fixture.stop()
        return figures(subscribers, outcome, isWhole)
    }

    private var rooms: Int { sockets / Self.membersOfRoom }

    /// Posts to every room until all sockets receive: first messages fill caches, and sockets wait for their session
    /// cursors.
    private func warmUp(_ subscribers: SubscriberFleet, _ run: LoadRun, _ journey: @escaping LoadRun.Journey)
        async throws
    {
        var failures: [String: Int] = [:]
        for _ in 0..<20 {
            subscribers.reset()
            let duration = Duration.milliseconds(rooms * 1000 / Self.warmUpRate + 100)
            let sweep = await run.open(rate: Double(Self.warmUpRate), for: duration, journey)
            failures = sweep.failures
            let isWhole = await subscribers.awaitDeliveries(sweep.count * Self.membersOfRoom, within: .seconds(1))
            if isWhole && subscribers.haveAllReceived && failures.isEmpty { return }
        }
        throw WebSocketFleet.Failed(reason: "some sockets receive no posted messages; \(failures)")
    }

    private func figures(_ subscribers: SubscriberFleet, _ outcome: LoadOutcome, _ isWhole: Bool) -> [Figure] {
        let late = subscribers.percentile(0.99)
        return [
            Figure(
                part: "c", what: "ms from POST to socket at p99, \(sockets) connected", ours: late,
                target: ("below 20", late < 20), decimals: 1),
            Figure(part: "c", what: "ms from POST to socket at p50", ours: subscribers.percentile(0.5), decimals: 1),
            Figure(part: "c", what: "ms from POST to its reply at p99", ours: outcome.percentile(0.99), decimals: 1),
            Figure(
                part: "c", what: "deliveries in \(seconds) s", ours: Double(subscribers.deliveries),
                target: ("\(outcome.count * Self.membersOfRoom)", isWhole), decimals: 0),
        ]
    }
}
