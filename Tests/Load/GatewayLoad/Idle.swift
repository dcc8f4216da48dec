import EventLoop
import LoadClient

/// Memory and heartbeat cost of idle sockets.
struct Idle {
    var sockets = 10_000
    /// At least the interval of heartbeats, so that each socket has one.
    var seconds = 50

    private static let membersOfRoom = 20

    func run(on loop: EventLoop) async throws -> [Figure] {
        let fixture = try await GatewayFixture.start(RoomLayout(rooms: sockets / Self.membersOfRoom, users: sockets))
        let meter = fixture.meter
        let (resident, anonymous) = (meter.residentBytes, meter.anonymousBytes)
        let subscribers = SubscriberFleet(sockets, on: loop)
        try await subscribers.connect(to: MeasuredGateway(fixture: fixture))
        // Joining, with its wait for session cursors, is over by then.
        try await loop.sleep(for: .seconds(3))
        let start = meter.processorTime
        try await loop.sleep(for: .seconds(seconds))
        let spent = Double(meter.processorTime - start) / 1000 / Double(sockets) / Double(seconds)
        let each = Double(meter.residentBytes - resident) / Double(sockets) / 1024
        let anonymousEach = Double(meter.anonymousBytes - anonymous) / Double(sockets) / 1024
        subscribers.disconnect()
        await fixture.stop()
        return [
            Figure(
                part: "d", what: "resident KiB a socket, \(sockets) idle", ours: each, target: ("8", each <= 8)),
            Figure(part: "d", what: "of that not backed by a file", ours: anonymousEach),
            Figure(
                part: "d", what: "CPU µs a socket and second, heartbeats included", ours: spent,
                target: ("1", spent <= 1)),
        ]
    }
}
