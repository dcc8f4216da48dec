import EventLoop
import LoadClient
import Wire

/// Messages that members of many rooms post to chat-service: how long from the call to the sockets of their rooms.
struct Posts {
    var sockets = 10_000
    var seconds = 10

    private static let membersOfRoom = 10
    private static let deliveriesASecond = 1000.0
    private static let connections = 64
    private static let warmUpRate = 500

    func run(on loop: EventLoop) async throws -> [Figure] {
        let house = try await GatewayHouse.start(Seating(rooms: rooms, users: sockets), with: .chat)
        let audience = Audience(sockets, on: loop)
        try await audience.gather(at: GatewayContender(house: house))
        var connections: [LoadConnection] = []
        for _ in 0..<Self.connections {
            let address = SocketAddress(ip: "127.0.0.1", port: house.chatPort)!
            connections.append(try await LoadConnection.open(address, on: loop))
        }
        let run = LoadRun(on: loop, connections)
        let journey = house.posting()
        try await warmUp(audience, run, journey)
        audience.forget()
        let outcome = await run.open(
            rate: Self.deliveriesASecond / Double(Self.membersOfRoom), for: .seconds(seconds), journey)
        let expected = outcome.count * Self.membersOfRoom
        let isWhole = await audience.hear(expected) && audience.heard == expected && outcome.failures.isEmpty
        audience.leave()
        for connection in connections { connection.close() }
        await house.stop()
        return figures(audience, outcome, isWhole)
    }

    private var rooms: Int { sockets / Self.membersOfRoom }

    /// Every room's first message costs both services questions; and sockets hear nothing before their positions are known.
    private func warmUp(_ audience: Audience, _ run: LoadRun, _ journey: @escaping LoadRun.Journey) async throws {
        var failures: [String: Int] = [:]
        for _ in 0..<20 {
            audience.forget()
            let duration = Duration.milliseconds(rooms * 1000 / Self.warmUpRate + 100)
            let sweep = await run.open(rate: Double(Self.warmUpRate), for: duration, journey)
            failures = sweep.failures
            let isWhole = await audience.hear(sweep.count * Self.membersOfRoom, within: .seconds(1))
            if isWhole && audience.isEverybodyHearing && failures.isEmpty { return }
        }
        throw WebSocketFleet.Failed(reason: "not every socket hears what is posted; \(failures)")
    }

    private func figures(_ audience: Audience, _ outcome: LoadOutcome, _ isWhole: Bool) -> [Figure] {
        let late = audience.percentile(0.99)
        return [
            Figure(
                part: "c", what: "ms from POST to socket at p99, \(sockets) connected", ours: late,
                target: ("below 20", late < 20), decimals: 1),
            Figure(part: "c", what: "ms from POST to socket at p50", ours: audience.percentile(0.5), decimals: 1),
            Figure(part: "c", what: "ms from POST to its reply at p99", ours: outcome.percentile(0.99), decimals: 1),
            Figure(
                part: "c", what: "deliveries in \(seconds) s", ours: Double(audience.heard),
                target: ("\(outcome.count * Self.membersOfRoom)", isWhole), decimals: 0),
        ]
    }
}
