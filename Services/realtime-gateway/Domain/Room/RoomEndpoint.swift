import Contract
import EngineIO
import SocketIO
import Wire

/// The socket behind a member of a room: one of the room's own namespace, or the `/me` socket of a device.
enum RoomEndpoint {
    case namespace(RoomSocket)
    case me(MeSocket)

    var engine: EngineSocket {
        switch self {
        case .namespace(let socket): socket.engine
        case .me(let socket): socket.engine
        }
    }

    var backpressure: SocketBackpressure {
        switch self {
        case .namespace(let socket): socket.backpressure
        case .me(let socket): socket.backpressure
        }
    }

    var user: UserID? {
        switch self {
        case .namespace(let socket): socket.identity.user
        case .me(let socket): socket.user
        }
    }

    var profile: ClientProfile {
        switch self {
        case .namespace(let socket): socket.identity.profile
        case .me(let socket): socket.profile
        }
    }

    var form: EventForm {
        switch self {
        case .namespace(let socket): EventForm(socket.identity.profile.form)
        case .me: .me
        }
    }

    /// Acknowledges the join of a namespace. A `/me` socket is told of a room that it has joined just now.
    func accept(in room: RoomID) {
        switch self {
        case .namespace(let socket): socket.accept()
        case .me(let socket): socket.handle { $0.accepted(room) }
        }
    }

    /// The socket has been sent all missed messages of the room, up to a seq.
    func caughtUp(in room: RoomID, at seq: Int64) {
        if case .me(let socket) = self { socket.handle { $0.caughtUp(room, at: seq) } }
    }

    /// Takes the socket out of the room, and tells its client.
    func putOut(of room: RoomID) {
        switch self {
        case .namespace(let socket): socket.putOut()
        case .me(let socket): socket.handle { $0.putOut(room) }
        }
    }

    /// Queues a missed message.
    func send(_ packet: SharedPacket, seq: Int64) {
        switch self {
        case .namespace(let socket): socket.send(packet, seq: seq)
        case .me(let socket): socket.engine.send(packet)
        }
    }

    /// Some queued bytes have left.
    func drained() { if case .namespace(let socket) = self { socket.drained() } }

    func meets(_ need: RoomSocket.Need) -> Bool {
        switch self {
        case .namespace(let socket): socket.meets(need)
        // Only a member with a session cursor waits until everything has left.
        case .me(let socket): SocketBackpressure.hasRoom(in: socket.engine)
        }
    }

    /// Returns when the need is met, or the socket has ended.
    func wait(for need: RoomSocket.Need) async {
        switch self {
        case .namespace(let socket): await socket.wait(for: need)
        case .me(let socket): await socket.waitForRoom()
        }
    }
}
