import EventLoop
import LoadClient

/// Those who have the app open and do nothing: each has a socket in one channel, answers heartbeats and hears what is said.
///
/// - Note: Confined to its loop.
final class IdleSockets {
    /// Messages that they have heard.
    private(set) var heard = 0
    private var lost = 0
    private let fleet: SocketIOFleet

    init(on loop: EventLoop) {
        fleet = SocketIOFleet(on: loop)
        fleet.received = { [unowned self] _, _ in heard += 1 }
        fleet.ended = { [unowned self] _, _ in lost += 1 }
    }

    /// Those that are open.
    var count: Int { fleet.clients.count - lost }

    /// Opens one for each, through the API gateway, with the cookie that signing in sets.
    func open(_ people: ArraySlice<Town.Person>, at address: SocketAddress) async throws {
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
