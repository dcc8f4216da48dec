import EventLoop
import LoadClient
import WebSocket

/// Many listening sockets of one server, which count deliveries and measure their latency.
///
/// - Note: Confined to its loop.
final class SubscriberFleet {
    let size: Int
    /// Nanoseconds from the sending of an event to each of its deliveries since `reset`.
    private(set) var latencies: [UInt64] = []
    private(set) var deliveries = 0
    let loop: EventLoop
    private let rawFleet: WebSocketFleet
    private let fleet: SocketIOFleet
    /// The number of events that each client has received since `reset`.
    private var receivedBy: [Int32]
    private var awaited = Int.max
    private var waiter: CheckedContinuation<Void, Never>?
    /// The last event and its time: all sockets receive the same bytes one after the other.
    private var known: (text: [UInt8], sentAt: UInt64) = ([], 0)
    private var isDisconnecting = false
    private var lost = 0

    init(_ size: Int, on loop: EventLoop) {
        self.size = size
        self.loop = loop
        rawFleet = WebSocketFleet(on: loop)
        fleet = SocketIOFleet(on: loop)
        receivedBy = Array(repeating: 0, count: size)
        rawFleet.received = { [weak self] in self?.receive($1.bytes, $0) }
        rawFleet.ended = { [weak self] _, ending in self?.checkEnding(ending) }
        fleet.received = { [weak self] in self?.receive($1, $0) }
        fleet.ended = { [weak self] _, ending in self?.checkEnding(ending) }
    }

    /// Connects all sockets to a server.
    func connect(to server: some MeasuredServer) async throws {
        Progress.report("connecting \(size) sockets to \(server.name)")
        if let namespaces = server.namespaces {
            try await fleet.connect(size) { number in
                SocketIOFleet.Seat(target: server.target(of: number), namespace: namespaces(number))
            }
        } else {
            try await rawFleet.connect(size) { server.target(of: $0) }
        }
    }

    func disconnect() {
        isDisconnecting = true
        fleet.abort()
        rawFleet.abort()
    }

    /// Resets all counts.
    func reset() {
        latencies.removeAll(keepingCapacity: true)
        deliveries = 0
        for client in receivedBy.indices { receivedBy[client] = 0 }
    }

    /// Waits until `count` deliveries have come since `reset`; returns false after the time limit.
    func awaitDeliveries(_ count: Int, within limit: Duration = .seconds(30)) async -> Bool {
        guard deliveries < count else { return true }
        awaited = count
        let timer = loop.schedule(after: limit) { [weak self] in self?.wake() }
        await withCheckedContinuation { waiter = $0 }
        timer.cancel()
        return deliveries >= count
    }

    /// Sends until every socket has received an event: from then on every event reaches all sockets.
    func awaitReady(sending: () -> Void) async throws {
        for _ in 1...600 {
            reset()
            sending()
            guard await awaitDeliveries(size, within: .milliseconds(200)), haveAllReceived else { continue }
            // Earlier events may still arrive.
            var known = 0
            while known < deliveries {
                known = deliveries
                try await loop.sleep(for: .milliseconds(500))
            }
            return
        }
        throw WebSocketFleet.Failed(reason: "only \(deliveries) of \(size) sockets receive events")
    }

    /// Throws unless every socket has received exactly `events` events since `reset`.
    func check(_ events: Int) throws {
        if lost > 0 { throw WebSocketFleet.Failed(reason: "\(lost) of \(size) sockets were closed") }
        let wrong = receivedBy.count { $0 != events }
        if wrong > 0 {
            throw WebSocketFleet.Failed(
                reason: "\(wrong) of \(size) sockets have not received exactly \(events) events")
        }
    }

    /// Whether every socket has received an event since `reset`.
    var haveAllReceived: Bool { receivedBy.allSatisfy { $0 > 0 } }

    /// The latency in milliseconds at a percentile of the deliveries since `reset`.
    func percentile(_ share: Double) -> Double { Percentile.of(latencies, share) / 1e6 }

    private func receive(_ text: [UInt8], _ client: FleetClient) {
        if text != known.text {
            // Other events, such as those that begin a /me socket, are not counted.
            guard let sentAt = TimedEvent.sentAt(text) else { return }
            known = (text, sentAt)
        }
        let now = EventLoop.preciseNow
        latencies.append(now - min(now, known.sentAt))
        receivedBy[client.number] += 1
        deliveries += 1
        if deliveries >= awaited { wake() }
    }

    private func wake() {
        awaited = .max
        waiter?.resume()
        waiter = nil
    }

    private func checkEnding(_ ending: Ending) {
        if isDisconnecting { return }
        lost += 1
        wake()
    }
}
