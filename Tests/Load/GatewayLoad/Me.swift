import Contract
import EventLoop
import Glibc
import LoadClient
import TestSupport
import Wire

/// 10,000 devices with a `/me` socket and 50 rooms each, with chat-service: memory, idle cost, the way of a message, and the
/// return after the gateway was killed.
struct MeDevices {
    var sockets = 10_000
    var roomsOfUser = 50
    var teamSize = 100
    var idleSeconds = 50
    var postSeconds = 20

    private static let deliveriesASecond = 1000.0
    private static let connections = 64
    private static let longestReturn = 15.0

    func run(on loop: EventLoop) async throws -> [Figure] {
        let layout = RoomLayout(
            rooms: sockets / teamSize * roomsOfUser, users: sockets, roomsOfUser: roomsOfUser)
        let fixture = try await GatewayFixture.start(layout, with: .chat)
        var connections: [LoadConnection] = []
        for _ in 0..<Self.connections {
            let address = SocketAddress(ip: "127.0.0.1", port: fixture.chatPort)!
            connections.append(try await LoadConnection.open(address, on: loop))
        }
        let run = LoadRun(on: loop, connections)
        Progress.report("posting a message to each of \(layout.rooms) rooms")
        _ = await run.open(rate: 2000, for: .milliseconds(layout.rooms / 2), fixture.posting())
        var figures: [Figure] = []
        let (anonymous, redis) = (fixture.meter.anonymousBytes, fixture.redisMeter.anonymousBytes)
        let devices = MeFleet(on: loop)
        Progress.report("connecting \(sockets) devices")
        let began = EventLoop.preciseNow
        try await devices.connect(sockets, to: fixture)
        let took = Double(EventLoop.preciseNow - began) / 1e9
        // Badges are counted after the starts.
        try await loop.sleep(for: .seconds(15))
        let each = Double(fixture.meter.anonymousBytes - anonymous) / Double(sockets) / 1024
        figures.append(
            Figure(
                part: "a", what: "anonymous KiB a socket with \(roomsOfUser) rooms, \(sockets) idle", ours: each,
                target: ("20", each <= 20)))
        let kept = Double(fixture.redisMeter.anonymousBytes - redis) / Double(sockets)
        figures.append(
            Figure(
                part: "a", what: "bytes of Redis a user: cursors of \(roomsOfUser) rooms, presence", ours: kept,
                decimals: 0))
        figures.append(Figure(part: "a", what: "s until all are ready for the first time", ours: took))
        figures.append(try await idle(fixture, on: loop))
        figures += try await posts(fixture, devices, run)
        figures += try await comeBack(fixture, devices, on: loop)
        for connection in connections { connection.close() }
        await fixture.stop()
        return figures
    }

    private func idle(_ fixture: GatewayFixture, on loop: EventLoop) async throws -> Figure {
        Progress.report("idle for \(idleSeconds) s")
        let start = fixture.meter.processorTime
        try await loop.sleep(for: .seconds(idleSeconds))
        let spent = Double(fixture.meter.processorTime - start) / 1000 / Double(sockets) / Double(idleSeconds)
        return Figure(
            part: "b", what: "CPU µs a socket and second, heartbeats included", ours: spent,
            target: ("1.2", spent <= 1.2))
    }

    private func posts(_ fixture: GatewayFixture, _ devices: MeFleet, _ run: LoadRun) async throws -> [Figure] {
        Progress.report("posting for \(postSeconds) s")
        let rate = Self.deliveriesASecond / Double(teamSize)
        // The first messages fill caches.
        _ = await run.open(rate: rate, for: .seconds(3), fixture.posting())
        devices.reset()
        let outcome = await run.open(rate: rate, for: .seconds(postSeconds), fixture.posting())
        let expected = outcome.count * teamSize
        try await devices.until("\(expected) deliveries", within: .seconds(30)) { devices.deliveries >= expected }
        let late = Percentile.of(devices.latencies, 0.99) / 1e6
        return [
            Figure(
                part: "c", what: "ms from POST to socket at p99, \(sockets) connected", ours: late,
                target: ("below 20", late < 20), decimals: 1),
            Figure(
                part: "c", what: "ms from POST to socket at p50", ours: Percentile.of(devices.latencies, 0.5) / 1e6,
                decimals: 1),
            Figure(
                part: "c", what: "deliveries", ours: Double(devices.deliveries),
                target: ("\(expected)", devices.deliveries == expected && outcome.failures.isEmpty), decimals: 0),
        ]
    }

    /// All devices come back to a gateway that was killed, with their cursors, while others post.
    private func comeBack(
        _ fixture: GatewayFixture, _ devices: MeFleet, on loop: EventLoop
    ) async throws -> [Figure] {
        let others = try await SteadyPosts.open(to: fixture)
        let atRest = try await others.post(for: .seconds(postSeconds)).percentile(0.99)
        Progress.report("killing the gateway")
        devices.disconnect()
        let began = EventLoop.preciseNow
        let (chat, postgres) = (fixture.chatMeter?.processorTime ?? 0, fixture.postgresTime)
        let gateway = try await fixture.killGateway()
        try await eventually(within: .seconds(30), "a start") { (try? RawConnection(port: fixture.port)) != nil }
        let back = MeFleet(on: loop)
        let layout = fixture.layout
        let meanwhile = Task { try await others.postUntilTold() }
        try await back.connect(sockets, to: fixture) { number in
            let cursors = layout.channels(of: number + 1).map { "\"\(RoomID($0))\":[1,0]" }
            return "{\"cursors\":{\(cursors.joined(separator: ","))}}"
        }
        let took = Double(EventLoop.preciseNow - began) / 1e9
        let spent = [
            ("realtime-gateway", Double(ProcessMeter(pid: gateway.pid).processorTime) / 1e9),
            ("chat-service", Double((fixture.chatMeter?.processorTime ?? 0) - chat) / 1e9),
            ("Postgres", fixture.postgresTime - postgres),
        ].map { name, seconds in
            Figure(part: "d", what: "ms of CPU a socket meanwhile: \(name)", ours: seconds * 1000 / Double(sockets))
        }
        others.end()
        let outcome = try await meanwhile.value
        try await others.close()
        back.disconnect()
        await gateway.stop()
        return [
            Figure(
                part: "d", what: "s from a kill -9 until all \(sockets) are ready", ours: took,
                target: ("15", took <= Self.longestReturn)),
            Figure(
                part: "d", what: "ms from POST to its reply at p99 meanwhile", ours: outcome.percentile(0.99),
                peer: ("at rest", atRest)),
            Figure(part: "d", what: "the client's own share of it at p99", ours: outcome.lateness(0.99)),
        ] + spent
    }
}

/// The cost of a delivery to a `/me` socket beside one to a room's socket.
struct MeDelivery {
    var room = FullRoom()

    func run(on loop: EventLoop) async throws -> [Figure] {
        let layout = RoomLayout(users: room.sockets)
        let me = MeasuredMe(fixture: try await .start(layout, loops: 1))
        let namespace = MeasuredGateway(fixture: try await .start(layout, loops: 1))
        let outcomes = try await room.compare([me, namespace], redis: me.fixture.redisMeter, on: loop)
        let (ours, theirs) = (outcomes[0].outcome, outcomes[1].outcome)
        func figure(_ what: String, _ values: KeyPath<FullRoom.Outcome, [Double]>) -> Figure {
            let cost = Percentile.median(ours[keyPath: values])
            let peer = Percentile.median(theirs[keyPath: values])
            return Figure(
                part: "e", what: what, ours: cost, peer: ("a room's socket", peer),
                target: ("1.2 × it", cost <= 1.2 * peer))
        }
        return [
            figure("CPU µs a delivery at a steady rate to \(room.sockets) sockets", \.steadyCost),
            figure("the same, one event at a time", \.cost),
        ]
    }
}
