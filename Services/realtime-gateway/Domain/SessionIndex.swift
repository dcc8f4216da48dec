import SocketIO
import Wire

/// The sockets of a loop by their sessions.
struct SessionIndex {
    private var clients: [SessionID: [ObjectIdentifier: SocketIOClient]] = [:]
    private var sockets: [SessionID: [RoomSocket]] = [:]

    func clients(of session: SessionID) -> [SocketIOClient] { clients[session].map { Array($0.values) } ?? [] }

    /// The session's sockets in rooms: a client is one in each of its rooms.
    func sockets(of session: SessionID) -> [RoomSocket] { sockets[session] ?? [] }

    mutating func add(_ client: SocketIOClient, of session: SessionID) {
        clients[session, default: [:]][ObjectIdentifier(client)] = client
    }

    mutating func remove(_ client: SocketIOClient, of session: SessionID) {
        clients[session]?[ObjectIdentifier(client)] = nil
        if clients[session]?.isEmpty == true { clients[session] = nil }
    }

    mutating func add(_ socket: RoomSocket) {
        guard let session = socket.identity.session else { return }
        sockets[session, default: []].append(socket)
    }

    mutating func remove(_ socket: RoomSocket) {
        guard let session = socket.identity.session else { return }
        sockets[session]?.removeAll { $0 === socket }
        if sockets[session]?.isEmpty == true { sockets[session] = nil }
    }
}
