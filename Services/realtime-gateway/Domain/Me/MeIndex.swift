import Wire

/// The `/me` sockets of a loop by their users and sessions.
struct MeIndex {
    private var sockets: [UserID: [MeSocket]] = [:]

    var all: some Sequence<MeSocket> { sockets.values.joined() }

    func sockets(of user: UserID) -> [MeSocket] { sockets[user] ?? [] }

    mutating func add(_ socket: MeSocket) { sockets[socket.user, default: []].append(socket) }

    mutating func remove(_ socket: MeSocket) {
        sockets[socket.user]?.removeAll { $0 === socket }
        if sockets[socket.user]?.isEmpty == true { sockets[socket.user] = nil }
    }
}
