import Contract
import Wire

/// The rooms of one `/me` socket as a state machine without I/O: it decides which room the socket enters when and where,
/// and it tells the client of changes of access.
///
/// Each room's own machine sends the messages. A room that the client has up to its head is entered at once; the others
/// are entered few at a time, unread ones first, so that a client that was away for long is not flooded.
struct MeMachine {
    /// A room of the user and its state when the socket's start was read.
    struct Room: Equatable {
        let id: RoomID
        let workspace: WorkspaceID
        let head: RoomHead
        let unread: Int64
    }

    enum Action: Equatable {
        /// Send `ready`.
        case sendReady
        case send(MeEvent)
        /// Enter a room after `start`, or at its present for nil. `head` is the room's head when the start was read.
        case enter(RoomID, after: RoomHead?, head: RoomHead?)
        /// Leave a room that was entered.
        case leave(RoomID)
        /// Check the access to a room that was entered: `putOut` follows if the user has lost it.
        case recheck(RoomID)
        /// Call `retry` after a pause that grows with the failures.
        case retryLater(RoomID, failures: Int)
        /// Read all rooms of the user again: `refreshed` follows.
        case readAgain
        /// Tell the client of read markers that have moved in these rooms since the start. It could not hear of them before it was in
        /// them.
        case compareReads([RoomID: Room])
        /// Count the badge again: the socket was sent messages that no count was for.
        case countBadge
    }

    struct Resumption {
        let room: RoomID
        let workspace: WorkspaceID
        var start: RoomHead
        let head: RoomHead
        var failures = 0
        /// Whether the user may have lost the room since it was entered. The room checks it, unless the socket leaves before.
        var isDoubtful = false
    }

    var rooms = MeMemberships()
    private(set) var queue: ArraySlice<Resumption> = []
    var resuming: [RoomID: Resumption] = [:]
    /// Rooms that could not be read, until they are queued again.
    private(set) var failing: [RoomID: Resumption] = [:]
    /// The rooms that were not entered at once, until the last of them has been resumed.
    private var late: [RoomID: Room] = [:]
    /// The unread rooms that were entered at once, and those of them with events that the socket does not hear yet.
    private var unread: [RoomID: Room] = [:]
    private var unheard: Set<RoomID> = []
    /// The cursors that the client named for rooms out of reach; nil once no room is.
    var keptCursors: MeCursors?
    private(set) var isReady = false

    /// Rooms that are resumed at a time.
    static let mostResuming = 4
    /// Rooms that could not be read and wait beside the queue.
    static let mostFailing = 8
    /// A client that misses more messages or more changes of a room loads them by HTTP.
    static let mostMissed: Int64 = 500

    var roomIDs: some Collection<RoomID> { rooms.ids }

    func isIn(_ room: RoomID) -> Bool { rooms[room] != nil }

    /// Whether `failed` gives the turn of a room to others. If no room at all can be read, few are left and entered again.
    func mayPutOff(_ room: RoomID) -> Bool { resuming[room] != nil && failing.count < Self.mostFailing }

    /// The user's rooms are known, and so is how far the client has them.
    ///
    /// - Parameter unavailable: what is out of reach. `refreshed` follows until nothing is.
    mutating func start(
        _ found: [Room], without unavailable: Unavailable = Unavailable(), from cursors: MeCursors
    ) -> [Action] {
        guard !isReady else { return [] }
        isReady = true
        rooms.reserve(found.count)
        var actions: [Action] = [.sendReady]
        actions.reserveCapacity(found.count + 1)
        for room in found.filter({ $0.unread > 0 }) + found.filter({ $0.unread <= 0 }) {
            enter(room, after: cursors[room.id], &actions)
        }
        if !unavailable.isEmpty { actions += keep(cursors.leaving(out: found.map(\.id)), without: unavailable) }
        return actions + resumeNext()
    }

    /// Enters a room, or puts it into the queue if its client lacks something.
    mutating func enter(_ room: Room, after cursor: RoomHead?, _ actions: inout [Action]) {
        let (start, gap) = Self.begin(room, after: cursor)
        if let gap { actions.append(.send(.gap(gap))) }
        if start.seq >= room.head.seq, start.rev >= room.head.rev {
            rooms[room.id] = .entered
            if room.unread > 0 { unread[room.id] = room }
            if unread[room.id] != nil { unheard.insert(room.id) }
            actions.append(.enter(room.id, after: start, head: room.head))
        } else {
            rooms[room.id] = .waiting
            late[room.id] = room
            queue.append(Resumption(room: room.id, workspace: room.workspace, start: start, head: room.head))
        }
    }

    /// The place at which the socket enters a room, and the gap that its client has to load itself.
    private static func begin(_ room: Room, after cursor: RoomHead?) -> (start: RoomHead, gap: MeGap?) {
        guard let cursor else { return (room.head, nil) }
        let skipsMessages = room.head.seq - cursor.seq > mostMissed
        let skipsChanges = room.head.rev - cursor.rev > mostMissed
        guard skipsMessages || skipsChanges else { return (cursor, nil) }
        let start = RoomHead(
            seq: skipsMessages ? room.head.seq : cursor.seq, rev: skipsChanges ? room.head.rev : cursor.rev)
        let gap = MeGap(
            room: room.id, from: skipsMessages ? cursor.seq + 1 : room.head.seq + 1, to: room.head.seq,
            changes: skipsChanges ? .init(after: cursor.rev, through: room.head.rev) : nil)
        return (start, gap)
    }

    mutating func resumeNext() -> [Action] {
        var actions: [Action] = []
        var doubtful: ArraySlice<Resumption> = []
        while resuming.count < Self.mostResuming, let next = queue.popFirst() {
            switch rooms[next.room] {
            case .waiting:
                rooms[next.room] = .resuming
                resuming[next.room] = next
                actions.append(.enter(next.room, after: next.start, head: next.head))
            case .doubtful: doubtful.append(next)
            default: break  // It was left meanwhile.
            }
        }
        queue = doubtful + queue
        if !late.isEmpty, queue.isEmpty, resuming.isEmpty, failing.isEmpty {
            actions.append(.compareReads(late))
            late = [:]
        }
        return actions
    }

    // MARK: Answers of the rooms

    /// Messages of the room reach the socket from now on.
    mutating func accepted(_ room: RoomID) -> [Action] {
        guard rooms[room] == .announcing else { return heard(room) }
        rooms[room] = .entered
        return [.send(.joined(room))]
    }

    /// The socket hears the events of a room, or has left it. Only a comparison finds markers that moved before.
    private mutating func heard(_ room: RoomID) -> [Action] {
        guard unheard.remove(room) != nil, unheard.isEmpty else { return [] }
        defer { unread = [:] }
        return [.compareReads(unread)]
    }

    /// The socket has been sent everything that was missing in the room.
    ///
    /// - Parameter seq: how far the socket was sent the room.
    mutating func caughtUp(_ room: RoomID, at seq: Int64) -> [Action] {
        guard rooms[room] == .resuming else { return [] }
        rooms[room] = .entered
        let resumption = resuming.removeValue(forKey: room)
        // Messages that came while the room waited were not broadcast to the socket, so no count was for them.
        let isBehind = resumption.map { seq > $0.head.seq } ?? false
        return (isBehind ? [.countBadge] : []) + resumeNext()
    }

    /// A room that is being resumed cannot be read now. It gives its turn to others, first to those of other workspaces, because
    /// the database of its own may be out of reach.
    ///
    /// - Parameter seq: how far the socket was sent the room; nil if it was sent nothing.
    mutating func failed(_ room: RoomID, at seq: Int64?) -> [Action] {
        guard var resumption = resuming.removeValue(forKey: room) else { return [] }
        let isDoubtful = resumption.isDoubtful
        rooms[room] = isDoubtful ? .doubtful : .waiting
        resumption.isDoubtful = false
        // The pauses grow only while nothing of the room can be read.
        if let seq, seq > resumption.start.seq { resumption.failures = 0 }
        resumption.start = RoomHead(seq: max(resumption.start.seq, seq ?? 0), rev: resumption.start.rev)
        resumption.failures += 1
        failing[room] = resumption
        let workspace = resumption.workspace
        queue = ArraySlice(queue.filter { $0.workspace != workspace } + queue.filter { $0.workspace == workspace })
        var actions: [Action] = [.leave(room), .retryLater(room, failures: resumption.failures)]
        if isDoubtful { actions.append(.readAgain) }
        return actions + resumeNext()
    }

    /// The pause after a failure is over.
    mutating func retry(_ room: RoomID) -> [Action] {
        guard let resumption = failing.removeValue(forKey: room) else { return [] }
        queue.append(resumption)
        return resumeNext()
    }

    /// The user has lost the access to a room.
    mutating func putOut(_ room: RoomID) -> [Action] {
        guard let membership = rooms.remove(room) else { return [] }
        resuming[room] = nil
        let told: [Action] = membership == .announcing ? [] : [.send(.left(room))]
        let next = heard(room) + resumeNext()
        return (membership.isOutside ? [] : [.leave(room)]) + told + next
    }

    /// The socket has ended.
    mutating func end() -> [Action] {
        let left = rooms.all.filter { !$0.membership.isOutside }.map(\.room)
        rooms = MeMemberships()
        (queue, resuming, failing) = ([], [:], [:])
        (late, unread, unheard, keptCursors) = ([:], [:], [], nil)
        return left.map { .leave($0) }
    }
}
