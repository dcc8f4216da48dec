import EventLoop
import LoadClient

/// Sockets that nobody writes to: what they cost in memory, and what their heartbeats cost.
struct Idle {
    var sockets = 10_000
    /// At least the interval between heartbeats, so that each socket has one.
    var seconds = 50

    private static let membersOfRoom = 20

    func run(on loop: EventLoop) async throws -> [Figure] {
        let house = try await GatewayHouse.start(Seating(rooms: sockets / Self.membersOfRoom, users: sockets))
        let meter = house.meter
        let (resident, anonymous) = (meter.residentBytes, meter.anonymousBytes)
        let audience = Audience(sockets, on: loop)
        try await audience.gather(at: GatewayContender(house: house))
        // What joining costs, the waiting for positions included, is over by then.
        try await loop.sleep(for: .seconds(3))
        let start = meter.processorTime
        try await loop.sleep(for: .seconds(seconds))
        let spent = Double(meter.processorTime - start) / 1000 / Double(sockets) / Double(seconds)
        let each = Double(meter.residentBytes - resident) / Double(sockets) / 1024
        let anonymousEach = Double(meter.anonymousBytes - anonymous) / Double(sockets) / 1024
        audience.leave()
        await house.stop()
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
