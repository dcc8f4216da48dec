import Contract
import Wire

/// The number of a socket in a room, which no other socket of its loop has.
struct MemberID: Hashable, Sendable {
    let rawValue: UInt64
}

/// A socket in a room, as its `RoomMachine` knows it.
///
/// A device is in all rooms of its user, so there are many of these: a test holds the size.
struct RoomMember<Socket> {
    /// A member's state. A cursor is the seq up to which the socket was sent the room's messages, or does not need them.
    enum Phase: Equatable {
        /// The room's head is not known yet.
        case entering(history: Int64?)
        /// The session's cursor is being read. The join is acknowledged afterwards.
        indirect case readingCursor(Entry)
        /// Waits for a history reply that may be under way, or for the last answer about the cursor.
        indirect case waiting(Entry)
        /// Is sent missed messages in slices.
        case catchingUp(cursor: Int64, CatchUpStep)
        /// Gets every broadcast.
        case live(cursor: Int64)
        /// Is in the namespace without being a member of the channel, and gets nothing. `cursor` is nil before its session
        /// was sent anything.
        case observing(cursor: Int64?)
        /// Gets nothing until somebody can tell whether it still may.
        indirect case suspended(Suspension)
    }

    /// A join, from the moment at which the room's head is known.
    struct Entry: Equatable {
        /// The entry head: later messages are for this socket.
        var head: Int64
        var isAccepted = false
        /// Redis has not told the session's whole cursor yet.
        var isUnread = false
        /// The session's cursor before the join was acknowledged: later messages that other sockets are sent do not count.
        var sent: Int64?
        /// The history cursor.
        var history: Int64?

        /// The seq after which the socket begins.
        var start: Int64 {
            guard let sent else { return history ?? head }
            return max(sent, history ?? sent)
        }
    }

    /// How a suspended member goes on.
    enum Suspension: Equatable {
        case catchUp(cursor: Int64)
        /// Nil before the room's head is known.
        case enter(Entry?)
    }

    /// How much Redis knows of a socket. A socket that must not get a message twice is sent nothing before that.
    enum Recorded: Equatable {
        case none
        /// It may have been sent messages up to here.
        case upTo(Int64)
        /// It may have been sent everything that its loop reserved.
        case live
    }

    /// The values of its client profile.
    private struct Traits {
        let form: EventForm
        /// Whether it is sent messages of its own session.
        let hearsItself: Bool
        let isCautious: Bool
    }

    private struct Heartbeat {
        /// The cursor when the last heartbeat left.
        var marked: Int64 = 0
        var confirmed: Int64 = 0
    }

    let id: MemberID
    let user: UserID?
    private let traits: Traits
    /// Counts the steps of catching up: an answer to an earlier step is ignored.
    var step: UInt32 = 0
    let session: SessionID?
    let socket: Socket
    private(set) var phase: Phase
    /// Messages that a history reply held while older ones were still on their way to the socket.
    private(set) var skipped: [ClosedRange<Int64>] = []
    var recorded = Recorded.none
    /// Whether its session has ended: it is sent nothing more, even if its access is confirmed.
    private(set) var hasEnded = false
    /// The seq after which the socket began.
    private(set) var start: Int64 = 0
    private var heartbeat = Heartbeat()

    init(
        id: MemberID, user: UserID?, session: SessionID?, form: EventForm, echo: Bool,
        repeatedEvent: ClientProfile.RepeatedEvent, socket: Socket, isMember: Bool
    ) {
        self.id = id
        self.user = user
        self.session = session
        traits = Traits(
            form: form, hearsItself: echo, isCautious: repeatedEvent == .fatal && session != nil)
        self.socket = socket
        phase = isMember ? .entering(history: nil) : .observing(cursor: nil)
    }

    /// A `/me` socket. Its client names the seq after which it begins; nil stands for the room's head. It has no session
    /// cursor.
    init(me id: MemberID, user: UserID, socket: Socket, after seq: Int64?) {
        self.id = id
        self.user = user
        session = nil
        traits = Traits(form: .me, hearsItself: true, isCautious: false)
        self.socket = socket
        phase = .entering(history: seq)
    }

    var form: EventForm { traits.form }
    /// Whether it is sent changes of messages.
    var hearsChanges: Bool { traits.form.hearsChanges }
    /// Whether a message must not be sent to its session twice.
    var isCautious: Bool { traits.isCautious }
    /// The seq that an answered heartbeat, or its start, confirmed.
    var confirmed: Int64 { heartbeat.confirmed }

    /// Whether missed messages are on their way to the socket.
    var isCatchingUp: Bool { if case .catchingUp = phase { true } else { false } }

    /// The seq up to which the socket was sent messages; nil before it began.
    var cursor: Int64? {
        switch phase {
        case .live(let cursor), .catchingUp(let cursor, _), .suspended(.catchUp(let cursor)): cursor
        case .observing(let cursor): cursor
        case .entering, .readingCursor, .waiting, .suspended(.enter): nil
        }
    }

    /// Whether it has not begun yet.
    var isEntering: Bool {
        switch phase {
        case .entering, .readingCursor, .waiting, .suspended(.enter): true
        case .observing, .catchingUp, .live, .suspended(.catchUp): false
        }
    }

    /// The start of a socket with an acknowledged join and without a settled cursor.
    var acknowledgedStart: Int64? {
        switch phase {
        case .readingCursor(let entry), .waiting(let entry), .suspended(.enter(let entry?)):
            entry.isAccepted ? entry.start : nil
        default: nil
        }
    }

    /// Where the client of a `/me` socket begins while the room's head is not known.
    var namedStart: Int64? {
        guard form == .me, case .entering(let seq) = phase else { return nil }
        return seq
    }

    /// Whether a message after the cursor is sent to this socket.
    func wants(_ message: RoomMessage) -> Bool {
        (traits.hearsItself || message.session != session)
            && (skipped.isEmpty || !skipped.contains { $0.contains(message.body.seq) })
    }

    /// The session has ended.
    mutating func end() {
        enter(.observing(cursor: cursor ?? acknowledgedStart))
        hasEnded = true
    }

    /// The only place at which a phase begins.
    mutating func enter(_ phase: Phase) {
        self.phase = phase
        step &+= 1
    }

    /// The socket begins after `seq`.
    mutating func begin(at seq: Int64) {
        start = seq
        enter(.catchingUp(cursor: seq, .draining))
    }

    /// Moves the cursor of a live member, without another check: the broadcast has compared it.
    mutating func advanceLive(to seq: Int64) { phase = .live(cursor: seq) }

    /// Moves the cursor forward.
    mutating func advance(to seq: Int64) {
        switch phase {
        case .live(let cursor) where cursor < seq: phase = .live(cursor: seq)
        case .catchingUp(let cursor, let step) where cursor < seq: phase = .catchingUp(cursor: seq, step)
        default: break
        }
    }

    /// A history reply held everything up to `seq`, except `left`, which the session's sockets are sent.
    ///
    /// - Returns: the seq up to which this socket does not need messages.
    mutating func skip(upTo seq: Int64, leaving left: ClosedRange<Int64>?) -> Int64 {
        guard let left, left.upperBound > cursor ?? 0 else { return seq }
        if left.upperBound < seq { skipped.append(left.upperBound + 1...seq) }
        return left.lowerBound - 1
    }

    mutating func forgetSkipped(upTo seq: Int64) {
        if !skipped.isEmpty { skipped.removeAll { $0.upperBound <= seq } }
    }

    // MARK: Heartbeats

    /// The socket begins here: its client has everything before.
    mutating func confirmStart(_ seq: Int64) { heartbeat.confirmed = max(confirmed, seq) }

    /// A heartbeat was sent.
    mutating func mark() { heartbeat.marked = cursor ?? 0 }

    /// The last heartbeat was answered, so everything sent before it has arrived. Returns the cursor if it is news.
    mutating func confirm() -> Int64? {
        guard heartbeat.marked > confirmed else { return nil }
        heartbeat.confirmed = heartbeat.marked
        return confirmed
    }
}

/// A step of catching up.
enum CatchUpStep: Equatable {
    /// Redis is told that the socket falls behind.
    case fallingBehind
    /// Waits until the socket has drained.
    case draining
    case fetching
    /// Redis is told up to where the next slice goes.
    case claiming
    /// A slice waits until the socket has drained.
    case sending
    /// Waits until everything sent has left.
    case emptying
    /// Redis is told that the socket goes on live.
    case goingLive
    /// A call failed, and is repeated after a pause.
    case pausing
}
