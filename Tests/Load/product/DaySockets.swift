import EventLoop
import LoadClient

/// The `/me` sockets of the people online, which come and go with the hours of the day.
///
/// - Note: Loop-local.
final class DaySockets {
    /// The people with an open socket, by the number of the client.
    private(set) var online: [Int: Population.Person] = [:]
    /// Messages and changes that came.
    private(set) var deliveries = 0
    /// Sockets that ended without being closed by their client.
    private(set) var lost = 0
    private let fleet: SocketIOFleet
    private let address: SocketAddress
    private var offline: [Population.Person]
    private var opened = 0

    private static let delivered = ["message", "changed"].map { Array("42/me,[\"\($0)\"".utf8) }

    init(_ people: [Population.Person], at address: SocketAddress, on loop: EventLoop) {
        offline = people.reversed()
        self.address = address
        fleet = SocketIOFleet(on: loop)
        fleet.received = { [unowned self] _, text in
            if Self.delivered.contains(where: { text.starts(with: $0) }) { deliveries += 1 }
        }
        fleet.ended = { [unowned self] client, _ in
            // Those that were closed here are gone from `online` already.
            if let person = online.removeValue(forKey: client.number) {
                offline.append(person)
                lost += 1
            }
        }
    }

    /// Opens or closes sockets until so many people are online.
    func set(_ wanted: Int) async throws {
        if wanted < online.count { close(online.count - wanted) }
        let coming = Array(offline.suffix(max(0, wanted - online.count)))
        offline.removeLast(coming.count)
        let first = opened
        opened += coming.count
        for (index, person) in coming.enumerated() { online[first + index] = person }
        let address = address
        try await fleet.connect(coming.count) { number in
            var target = WebSocketFleet.Target(address: address, target: "/socket.io/?EIO=4&transport=websocket")
            target.headers = [("Authorization", "Bearer " + coming[number - first].nativeToken)]
            return SocketIOFleet.Seat(target: target, namespace: "/me")
        }
    }

    /// The first to come are the first to go.
    private func close(_ count: Int) {
        let leaving = Set(online.keys.sorted().prefix(count))
        for number in leaving { if let person = online.removeValue(forKey: number) { offline.append(person) } }
        fleet.abort(leaving)
    }

    func end() {
        online = [:]
        fleet.abort()
    }
}
