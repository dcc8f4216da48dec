import EventLoop
import LoadClient
import WebSocket

/// Many sockets of one server that listen: counts what each hears, and how long it was on its way.
///
/// - Note: Confined to its loop.
final class Audience {
    let size: Int
    /// Nanoseconds from an event's sending to its arrival, one a delivery, since `forget`.
    private(set) var latencies: [UInt64] = []
    private(set) var heard = 0
    let loop: EventLoop
    private let rawFleet: WebSocketFleet
    private let fleet: SocketIOFleet
    /// What each client has heard since `forget`.
    private var heardBy: [Int32]
    private var awaited = Int.max
    private var waiter: CheckedContinuation<Void, Never>?
    /// All hear the same bytes one after the other.
    private var known: (text: [UInt8], sentAt: UInt64) = ([], 0)
    private var isLeaving = false
    private var lost = 0

    init(_ size: Int, on loop: EventLoop) {
        self.size = size
        self.loop = loop
        rawFleet = WebSocketFleet(on: loop)
        fleet = SocketIOFleet(on: loop)
        heardBy = Array(repeating: 0, count: size)
        rawFleet.received = { [weak self] in self?.hear($1.bytes, $0) }
        rawFleet.ended = { [weak self] _, ending in self?.checkEnding(ending) }
        fleet.received = { [weak self] in self?.hear($1, $0) }
        fleet.ended = { [weak self] _, ending in self?.checkEnding(ending) }
    }

    /// Lets all take their places with a server.
    func gather(at server: some Contender) async throws {
        Progress.tell("connecting \(size) sockets to \(server.name)")
        if let namespaces = server.namespaces {
            try await fleet.connect(size) { number in
                SocketIOFleet.Seat(target: server.target(of: number), namespace: namespaces(number))
            }
        } else {
            try await rawFleet.connect(size) { server.target(of: $0) }
        }
    }

    func leave() {
        isLeaving = true
        fleet.abort()
        rawFleet.abort()
    }

    /// Begins to count anew.
    func forget() {
        latencies.removeAll(keepingCapacity: true)
        heard = 0
        for client in heardBy.indices { heardBy[client] = 0 }
    }

    /// Returns when so many deliveries have come since `forget`; false where they have not within `patience`.
    func hear(_ deliveries: Int, within patience: Duration = .seconds(30)) async -> Bool {
        guard heard < deliveries else { return true }
        awaited = deliveries
        let timer = loop.schedule(after: patience) { [weak self] in self?.wake() }
        await withCheckedContinuation { waiter = $0 }
        timer.cancel()
        return heard >= deliveries
    }

    /// Sends until everybody has heard something: then nothing stands between server and clients any more.
    func settle(sending: () -> Void) async throws {
        for _ in 1...600 {
            forget()
            sending()
            guard await hear(size, within: .milliseconds(200)), isEverybodyHearing else { continue }
            // What was sent before may still be on its way.
            var known = 0
            while known < heard {
                known = heard
                try await loop.sleep(for: .milliseconds(500))
            }
            return
        }
        throw WebSocketFleet.Failed(reason: "only \(heard) of \(size) sockets hear")
    }

    /// Fails unless everybody has heard `events` events since `forget`, no more and no less.
    func check(_ events: Int) throws {
        if lost > 0 { throw WebSocketFleet.Failed(reason: "\(lost) of \(size) sockets were closed") }
        let wrong = heardBy.count { $0 != events }
        if wrong > 0 {
            throw WebSocketFleet.Failed(reason: "\(wrong) of \(size) sockets have not heard \(events) events")
        }
    }

    /// Whether everybody has heard something since `forget`.
    var isEverybodyHearing: Bool { heardBy.allSatisfy { $0 > 0 } }

    /// Milliseconds that a share of all deliveries since `forget` did not exceed.
    func percentile(_ share: Double) -> Double { Percentile.of(latencies, share) / 1e6 }

    private func hear(_ text: [UInt8], _ client: FleetClient) {
        if text != known.text { known = (text, TimedEvent.sentAt(text) ?? 0) }
        let now = EventLoop.preciseNow
        latencies.append(now - min(now, known.sentAt))
        heardBy[client.number] += 1
        heard += 1
        if heard >= awaited { wake() }
    }

    private func wake() {
        awaited = .max
        waiter?.resume()
        waiter = nil
    }

    private func checkEnding(_ ending: Ending) {
        if isLeaving { return }
        lost += 1
        wake()
    }
}
