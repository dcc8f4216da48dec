import EventLoop
import LoadClient

/// Sockets of idle users. Each joins one channel, answers heartbeats and receives the channel's events.
///
/// - Note: Loop-local.
final class IdleSockets {
    /// The number of received events.
    private(set) var received = 0
    private var lost = 0
    private let fleet: SocketIOFleet

    init(on loop: EventLoop) {
        fleet = SocketIOFleet(on: loop)
        fleet.received = { [unowned self] _, _ in received += 1 }
        fleet.ended = { [unowned self] _, _ in lost += 1 }
    }

    /// The number of open sockets.
    var count: Int { fleet.clients.count - lost }

    /// Opens a socket for each person through the API gateway, with the cookie that a login sets.
    func open(_ people: ArraySlice<Population.Person>, at address: SocketAddress) async throws {
        let people = Array(people)
        try await fleet.connect(people.count) { number in
            let person = people[number]
            var target = WebSocketFleet.Target(address: address, target: "/socket.io/?EIO=4&transport=websocket")
            target.headers = [("Cookie", person.cookie)]
            return SocketIOFleet.Seat(
                target: target, namespace: "/ws-channel-\(person.channels[number % person.channels.count])")
        }
    }

    func close() { fleet.abort() }
}
