import Contract
import EngineIO
import EventLoop
import ServiceKit
import SocketIO
import Wire

extension RoomDriver {
    /// Tells the `/me` sockets of the other members that a user is typing, except blockers and blocked
    /// users of that user. A socket that reads slowly is not told.
    func tellTyping(_ user: UserID, in thread: Int64?) {
        guard hasKnownDevices, let profile = context.rendering.profiles[.me] else { return }
        let packet = SharedPacket(MeEvent.typing(room, user: user, thread: thread).packet(for: profile))
        send(packet) { $0 != user && !shard.blocks.separates(user, from: $0) }
    }

    /// Tells the `/me` sockets that a read marker has moved: the user's own with the counts, and those of members that
    /// share theirs without. A socket that reads slowly is not told; it reads the marker with the next list of its rooms.
    func tellRead(_ read: RoomRead) {
        guard hasKnownDevices, let profile = context.rendering.profiles[.me] else { return }
        shard.me.badges.changed(read.user)
        send(SharedPacket(MeEvent.read(read, withCounts: true).packet(for: profile))) { $0 == read.user }
        guard case .members = read.audience else { return }
        send(SharedPacket(MeEvent.read(read, withCounts: false).packet(for: profile))) {
            $0 != read.user && read.audience.includes($0)
        }
    }

    /// Events may have been lost, those of read markers too.
    func heardAgain() {
        if hasKnownDevices { shard.me.badges.changed(room) }
        handle { $0.resubscribed(&$1) }
    }

    private func send(_ packet: SharedPacket, toUsers isMeant: (UserID) -> Bool) {
        for socket in meSockets(of: isMeant) where socket.queuedBytes <= MeSocket.mostWaiting { socket.send(packet) }
    }
}
