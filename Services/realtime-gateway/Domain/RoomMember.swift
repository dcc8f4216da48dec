import Contract
import EngineIO
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

    // What a delivery looks at stands first, so that it fetches little memory.
    /// The connection of `client`.
    let engine: EngineSocket
    var phase: Phase
    let generation: ClientProfile.Generation
    private let hearsItself: Bool
    private let session: SessionID?
    /// The larger of what the last history reply held and what was sent to the socket.
    private(set) var position: Int64 = 0
    /// Bytes from the beginning of the object that a delivery looks at.
    static let deliverySize = 64

    let client: SocketIOClient
    /// Holds this until the socket leaves the room.
    private let owner: GatewayClient
    let identity: Identity
    let namespace: String
    /// The name of this socket in this room, under which its position is claimed.
    let live: String
    /// Its place in the order in which its feed sends.
    var place = 0
    /// How far the room was when the socket entered; nil until that is known. Only then is the socket told that it is in, so
    /// that nothing said later can be missing.
    var entry: Int64?
    /// In what phase it was when nobody could tell whether it still may be here; nil where that is known.
    var interrupted: Phase?
    /// Begins at its entry: nobody has told another position.
    var startsAtEntry = false
    /// What Redis knows of this socket.
    var claim = Claim.none
    /// Whether something is on its way that brings it further.
    var isBeingBrought = false
    /// What catching up has sent and what may still wait, in order.
    private var underWay: [Sending] = []
    /// The position when the last heartbeat went out, and what an answered one has confirmed.
    private var marked: Int64 = 0
    private(set) var confirmed: Int64 = 0

    /// What Redis knows of a socket: before that, nothing is sent to one that must not get it twice.
    enum Claim: Equatable {
        case none
        /// It may have been sent everything up to there.
        case upTo(Int64)
        /// It may have been sent whatever its feed may have sent.
        case live
    }

    /// A message on its way to the client.
    private struct Sending {
        /// The position without it.
        let before: Int64
        /// Bytes that left or waited before it.
        let start: UInt64
    }

    init(
        client: SocketIOClient, owner: GatewayClient, identity: Identity, namespace: String, live: String, phase: Phase
    ) {
        self.client = client
        engine = client.engine
        generation = identity.profile.generation
        hearsItself = identity.profile.echo
        session = identity.session
        self.owner = owner
        self.identity = identity
        self.namespace = namespace
        self.live = live
        self.phase = phase
    }

    /// Whether the socket must not be sent again what it may have received.
    var isCautious: Bool { identity.profile.repeatedEvent == .fatal && identity.session != nil }

    /// The room is at `seq`: what is said from now on is for the socket, which is told that it is in.
    func letIn(at seq: Int64) {
        entry = seq
        if !client.isIn(namespace) { client.accept(namespace) }
    }

    /// Takes the socket out of the room; the client is told.
    func putOut() {
        phase = .onlooker
        owner.putOut(of: namespace, client)
    }

    /// Whether a message is for this socket: it is behind its position, and not its own session's echo where the app cannot
    /// bear that.
    func wants(_ message: RoomMessage) -> Bool {
        message.body.seq > position && (hearsItself || message.session != session)
    }

    /// The position moves forward only.
    func move(to seq: Int64) {
        if seq > position { position = seq }
    }

    /// Sends what the member has missed, next in order.
    func send(_ packet: SharedPacket, at seq: Int64) {
        underWay.append(Sending(before: position, start: engine.sentBytes + UInt64(engine.queuedBytes)))
        engine.send(packet)
        move(to: seq)
    }

    /// Forgets what has left.
    func drained() { if !underWay.isEmpty { underWay.removeAll { $0.start < engine.sentBytes } } }

    /// The position without what has not even begun to leave.
    var reached: Int64 { underWay.first { $0.start >= engine.sentBytes }?.before ?? position }

    /// Returns when more may be sent to the socket, or it has ended.
    func waitForRoom() async { await owner.outflow.wait { Outflow.hasRoom(in: engine) } }

    /// Returns when what was sent has left, or the socket has ended.
    func waitUntilReached() async {
        await owner.outflow.wait {
            engine.flush()
            drained()
            return underWay.isEmpty
        }
    }

    /// What lies behind its first position is there already.
    func begin() { confirmed = max(confirmed, position) }

    /// A heartbeat follows what was sent.
    func mark() { marked = position }

    /// The last heartbeat was answered: what was sent before it has arrived. Returns the seq if that is news.
    func confirm() -> Int64? {
        guard marked > confirmed else { return nil }
        confirmed = marked
        return confirmed
    }
}
