import EventLoop
import LoadClient
import WebSocket

/// Many devices with a `/me` socket each, which count their starts and the posted messages that they receive.
///
/// - Note: Confined to its loop.
final class MeFleet {
    private(set) var ready = 0
    private(set) var deliveries = 0
    /// Nanoseconds from the sending of a message to each of its deliveries since `reset`.
    private(set) var latencies: [UInt64] = []
    private(set) var lost = 0
    private let loop: EventLoop
    private let fleet: SocketIOFleet
    private var isDisconnecting = false

    private static let start = Array("42/me,[\"ready\"".utf8)
    private static let message = Array("42/me,[\"message\"".utf8)

    init(on loop: EventLoop) {
        self.loop = loop
        fleet = SocketIOFleet(on: loop)
        fleet.received = { [weak self] _, text in self?.receive(text) }
        fleet.ended = { [weak self] _, _ in self?.ended() }
    }

    /// Connects devices, and returns when all are ready. Uses batch scheduling: the work of so many devices would not be on the
    /// cores of the server.
    ///
    /// - Parameter payload: the payload of a device's join.
    func connect(
        _ count: Int, to fixture: GatewayFixture, within limit: Duration = .seconds(120),
        payload: @escaping @Sendable (Int) -> String = { _ in "" }
    ) async throws {
        BatchScheduling.begin()
        defer { BatchScheduling.end() }
        try await fleet.connect(count, atOnce: 256) { number in
            var seat = SocketIOFleet.Seat(target: MeasuredMe.target(of: number, in: fixture), namespace: "/me")
            seat.payload = payload(number)
            return seat
        }
        try await until("\(count) devices are ready", within: limit) { [self] in ready >= count }
    }

    func disconnect() {
        isDisconnecting = true
        fleet.abort()
    }

    func reset() {
        deliveries = 0
        latencies.removeAll(keepingCapacity: true)
    }

    func until(_ what: String, within limit: Duration, _ condition: () -> Bool) async throws {
        let end = EventLoop.preciseNow + limit.wholeNanoseconds
        while !condition() {
            guard EventLoop.preciseNow < end else {
                throw WebSocketFleet.Failed(reason: "not in time: \(what); \(ready) are ready, \(lost) were closed")
            }
            try await loop.sleep(for: .milliseconds(2))
        }
    }

    private func receive(_ text: [UInt8]) {
        if text.starts(with: Self.message) {
            let now = EventLoop.preciseNow
            latencies.append(now - min(now, TimedEvent.sentAt(text) ?? now))
            deliveries += 1
        } else if text.starts(with: Self.start) {
            ready += 1
        }
    }

    private func ended() { if !isDisconnecting { lost += 1 } }
}
