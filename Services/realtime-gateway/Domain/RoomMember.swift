import Contract
import SocketIO
import Wire

/// A socket in a room: how far it has been brought, and whether it may be.
///
/// - Note: `@unchecked Sendable` because it is confined to the loop of its socket.
final class RoomMember: @unchecked Sendable {
    /// Whether messages go to the socket.
    enum Phase: Equatable {
        /// In the namespace, but not in the channel: nothing goes to it before it has read the history.
        case onlooker
        /// Waits for the position that its history reply tells.
        case waiting
        /// Is being sent what lies between its position and the present.
        case catchingUp
        case live
    }

    let client: SocketIOClient
    let identity: Identity
    let namespace: String
    var phase: Phase
    /// The larger of what the last history reply held and what was sent to the socket.
    var position: Int64 = 0
    /// Begins where the room is when that becomes known.
    var startsAtHead = false
    /// Whether the position is another than the one that other nodes know.
    var isPositionDirty = false

    init(client: SocketIOClient, identity: Identity, namespace: String, phase: Phase) {
        self.client = client
        self.identity = identity
        self.namespace = namespace
        self.phase = phase
    }

    /// Whether a message is for this socket: it is behind its position, and not its own session's echo where the app cannot
    /// bear that.
    func wants(_ message: RoomMessage) -> Bool {
        message.body.seq > position && (identity.profile.echo || message.session != identity.session)
    }

    /// The position moves forward only.
    func move(to seq: Int64) {
        guard seq > position else { return }
        position = seq
        isPositionDirty = true
    }
}
