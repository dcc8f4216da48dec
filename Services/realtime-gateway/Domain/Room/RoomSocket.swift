import Contract
import EngineIO
import ServiceKit
import SocketIO
import Wire

/// A member's socket: performs the actions of its room's machine, and knows which bytes have left.
///
/// - Note: `@unchecked Sendable` because it is confined to its loop.
final class RoomSocket: @unchecked Sendable {
    let id: MemberID
    let room: RoomID
    let identity: Identity
    let namespace: String
    let joined = Timestamp.now
    /// `<loop>/<number>`: the socket's name in the session's cursor.
    let name: String
    let client: SocketIOClient
    private let owner: GatewayClient
    /// Messages sent while catching up that may not have begun to leave, in order.
    private var underWay: [Queued] = []
    /// Written when the socket was released last, and again after a cursor write that was under way then.
    var release: SessionCursors.Release?

    private struct Queued {
        let seq: Int64
        /// Bytes that left or waited before it.
        let start: UInt64
    }

    init(
        _ id: MemberID, of client: SocketIOClient, owner: GatewayClient, identity: Identity, room: RoomID,
        namespace: String, loopName: String
    ) {
        self.id = id
        self.client = client
        self.owner = owner
        self.identity = identity
        self.room = room
        self.namespace = namespace
        name = "\(loopName)/\(id.rawValue)"
    }

    var engine: EngineSocket { client.engine }
    var backpressure: SocketBackpressure { owner.backpressure }

    /// When its client joined, or last answered a heartbeat.
    var heard: Timestamp { max(joined, owner.heard) }

    /// Acknowledges the join.
    func accept() { if !client.isIn(namespace) { client.accept(namespace) } }

    /// Takes the socket out of the namespace, and tells its client.
    func putOut() { owner.putOut(of: namespace, client) }

    /// Queues a missed message.
    func send(_ packet: SharedPacket, seq: Int64) {
        underWay.append(Queued(seq: seq, start: engine.sentBytes + UInt64(engine.queuedBytes)))
        engine.send(packet)
    }

    /// Some queued bytes have left.
    func drained() { if !underWay.isEmpty { underWay.removeAll { $0.start < engine.sentBytes } } }

    /// The cursor without messages that have not begun to leave.
    func reached(_ cursor: Int64) -> Int64 {
        guard let first = underWay.first(where: { $0.start >= engine.sentBytes }) else { return cursor }
        return min(cursor, first.seq - 1)
    }

    /// A condition that a member waits for while it catches up.
    enum Need {
        /// More may be sent.
        case room
        /// Everything sent while catching up has left.
        case empty
    }

    func meets(_ need: Need) -> Bool {
        if need == .room { return SocketBackpressure.hasRoom(in: engine) }
        engine.flush()
        drained()
        return underWay.isEmpty
    }

    /// Returns when the need is met, or the socket has ended.
    func wait(for need: Need) async { await backpressure.wait { meets(need) } }
}
