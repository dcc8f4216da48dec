import Contract
import EngineIO
import SocketIO
import Wire

extension RoomDriver {
    /// Bytes that may wait for a socket that is still told of what lasts only seconds.
    private static let mostWaiting = 16 * 1024

    /// Tells the `/me` sockets of the other members that a user is typing. A socket that reads slowly is not told.
    func tellTyping(_ user: UserID, in thread: Int64?) {
        guard let profile = profiles[.me] else { return }
        let packet = SharedPacket(MeEvent.typing(room, user: user, thread: thread).packet(for: profile))
        for socket in meSockets(exceptOf: user) where socket.queuedBytes <= Self.mostWaiting { socket.send(packet) }
    }
}
