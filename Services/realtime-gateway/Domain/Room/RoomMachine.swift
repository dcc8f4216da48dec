import Contract
import Wire

/// A room on one loop as a state machine without I/O: it decides which member is sent which message and when.
///
/// Events are `mutating func`s that append actions, which the driver performs in order before the next event. Its promises:
///
/// - A socket is sent the room's messages in order, and none of them twice.
/// - A socket is sent everything said after its join was acknowledged, independent of other sockets of its session. The
///   session's cursor only decides where a socket begins.
/// - Where a repeated message is fatal, Redis knows beforehand that a message may be sent.
/// - A removed member is sent nothing after the removal's order point.
struct RoomMachine<Socket> {
    private(set) var roster = Roster<Socket>()
    /// The newest message that live members were sent; nil until the room's head is known.
    private(set) var head: Int64?
    var order = MessageOrder()
    var recent = RecentMessages()
    /// The next messages in order, which may not go out yet.
    private var held: ArraySlice<RoomMessage> = []
    /// Redis knows that messages up to here may have been sent.
    private var reserved: Int64 = 0
    private var orderPoints = OrderPoints()
    private var hearing = Hearing.pending
    var recheck = Recheck()
    private var flow = Flow()
    /// The next messages of members that catch up.
    var slices: [MemberID: Slice] = [:]
    var changes = ChangeDelivery()

    private static var mostHeld: Int { 4096 }

    private enum Hearing { case pending, early, open }

    private struct Flow {
        var isPaused = false
        var isBroadcasting = false
    }

    /// A check of all members: nothing goes out before its end.
    struct Recheck {
        var number: UInt64 = 0
        var isPending = false
    }

    var heldCount: Int { held.count }
    var isPaused: Bool { flow.isPaused }

    // MARK: Members

    /// - Parameter rev: the revision up to which the client has the changes; nil to begin at the present.
    mutating func join(_ member: RoomMember<Socket>, changesAfter rev: Int64? = nil, _ actions: inout [RoomAction]) {
        roster.add(member)
        if let rev { changes.begin(member.id, after: rev) }
        if head != nil { admit(member.id, &actions) }
    }

    mutating func leave(_ id: MemberID, _ actions: inout [RoomAction]) {
        remove(id, &actions)
        // Perhaps no member is left that needs reservations.
        pass(&actions)
    }

    mutating func remove(_ id: MemberID, _ actions: inout [RoomAction]) {
        guard let member = roster.remove(id) else { return }
        release(member, &actions)
        slices[id] = nil
        changes.forget(id)
        if let user = member.user, member.form != .me, !roster.has(user) { actions.append(.userLeft(user)) }
    }

    /// The session of a member has ended: nothing more is sent to it.
    mutating func revoke(_ id: MemberID) {
        change(id) { $0.end() }
    }

    /// Changes a member; a member that has left is not changed.
    mutating func change<Result>(_ id: MemberID, _ body: (inout RoomMember<Socket>) -> Result) -> Result? {
        roster.index(of: id).map { roster.change($0, body) }
    }

    /// Ends the member's record in Redis, as its socket is sent nothing more for now.
    func release(_ member: RoomMember<Socket>, _ actions: inout [RoomAction]) {
        guard member.isCautious, let cursor = member.cursor, member.recorded != .none || member.isCatchingUp else {
            return
        }
        actions.append(.releaseCursor(member.id, cursor: cursor, isClaimed: member.recorded != .none))
    }

    // MARK: Hearing

    /// The room's events arrive from now on.
    mutating func subscribed(_ actions: inout [RoomAction]) {
        // Removals of members that joined before may have been missed.
        if hearing == .early { recheckAll(&actions) }
        hearing = .open
        actions.append(.fetchHead)
    }

    /// Redis has not answered for a while. Sockets join all the same: messages from now on are found when Redis is back.
    mutating func subscriptionDelayed(_ actions: inout [RoomAction]) {
        guard hearing == .pending else { return }
        hearing = .early
        actions.append(.fetchHead)
    }

    /// Redis was away: messages and removals may have been lost.
    mutating func resubscribed(_ actions: inout [RoomAction]) {
        recheckAll(&actions)
        actions.append(head == nil ? .fetchHead : .compareHead(isLate: false))
    }

    mutating func headReported(_ seq: Int64, _ actions: inout [RoomAction]) {
        guard head == nil else { return perform(order.compared(head: seq), &actions) }
        head = seq
        let ordered = order.start(at: seq)
        for id in roster.ids { admit(id, &actions) }
        perform(ordered, &actions)
    }

    mutating func backfilled(_ messages: [RoomMessage], head: Int64, _ actions: inout [RoomAction]) {
        perform(order.backfilled(messages, head: head), &actions)
    }

    mutating func backfillFailed(_ actions: inout [RoomAction]) {
        order.backfillFailed()
        actions.append(.compareHead(isLate: true))
    }

    mutating func published(_ event: RoomEvent, _ actions: inout [RoomAction]) {
        switch event {
        case .message(let message): perform(order.published(message), &actions)
        case .changed(let change): changed(change, &actions)
        case .removed(_, let after, let user):
            orderPoints.remove(user, after: after)
            passReachedOrderPoints(&actions)
            perform(order.compared(head: after), &actions)
        case .closed(_, let after):
            orderPoints.close(after: after)
            passReachedOrderPoints(&actions)
            perform(order.compared(head: after), &actions)
        case .read, .typing: break  // They have no place in the order.
        }
    }

    private mutating func perform(_ ordered: [MessageOrder.Action], _ actions: inout [RoomAction]) {
        for action in ordered {
            switch action {
            case .deliver(let message): held.append(message)
            case .backfill(let after): actions.append(.backfill(after: after))
            }
        }
        pass(&actions)
    }

    // MARK: Broadcasts

    mutating func reserved(through seq: Int64, _ actions: inout [RoomAction]) {
        reserved = max(reserved, seq)
        pass(&actions)
    }

    /// Redis may have lost the reservation, or lets it expire soon.
    func reserveAgain(_ actions: inout [RoomAction]) {
        if roster.cautiousCount > 0, let head { actions.append(.reserve(through: max(head, reserved))) }
    }

    /// Messages are held until `resume`, so that several leave together.
    mutating func pause() { flow.isPaused = true }

    mutating func resume(_ actions: inout [RoomAction]) {
        flow.isPaused = false
        pass(&actions)
    }

    /// Broadcasts one message if it may go out now. The next one follows when its broadcast has been performed.
    mutating func pass(_ actions: inout [RoomAction]) {
        passMessages(&actions)
        passChanges(&actions)
    }

    private mutating func passMessages(_ actions: inout [RoomAction]) {
        if flow.isBroadcasting { return }
        if held.count > Self.mostHeld { return giveUp(&actions) }
        guard !recheck.isPending else { return }
        guard let message = held.first, let last = held.last else {
            held = []
            // No message is on its way any more that would come before.
            if !order.isBackfilling { passOrderPoints(before: .max, &actions) }
            return
        }
        let isCautious = roster.cautiousCount > 0
        if !flow.isPaused, !isCautious || message.body.seq <= reserved {
            held.removeFirst()
            flow.isBroadcasting = true
            passOrderPoints(before: message.body.seq, &actions)
            head = message.body.seq
            recent.append(message)
            actions.append(.broadcast(message))
        } else if isCautious, last.body.seq > reserved {
            actions.append(.reserve(through: last.body.seq))
        }
    }

    /// Performs `.broadcast`. Returns how many sockets the message was queued for.
    ///
    /// - Parameter send: queues the message for a socket, and raises no event meanwhile. Returns whether the socket had room.
    mutating func broadcast(
        _ message: RoomMessage, blockedBy blockers: Set<UserID>? = nil, _ actions: inout [RoomAction],
        _ send: (Socket, EventVariant) -> Bool
    ) -> UInt64 {
        let (count, behind) = roster.broadcast(message, blockedBy: blockers, send)
        flow.isBroadcasting = false
        for id in behind { catchUp(id, &actions) }
        pass(&actions)
        return count
    }

    /// Too many messages wait: the sockets come back and go on from where they are.
    private mutating func giveUp(_ actions: inout [RoomAction]) {
        // The next joiner begins after the dropped messages, and fetches those that it lacks.
        head = held.last?.body.seq ?? head
        recent.removeAll()
        held = []
        for id in roster.ids {
            revoke(id)
            actions.append(.closeSocket(id))
        }
    }

    /// An order point that the room has passed already takes effect now, even if messages are held.
    private mutating func passReachedOrderPoints(_ actions: inout [RoomAction]) {
        if let head { passOrderPoints(before: head + 1, &actions) }
    }

    private mutating func passOrderPoints(before next: Int64, _ actions: inout [RoomAction]) {
        let (removed, isClosed) = orderPoints.take(before: next)
        for user in removed {
            actions.append(.noteRemoval(user))
            for id in roster.ids(of: user) {
                // A socket that is just entering may have joined after the user had come back.
                if roster[id]?.isEntering == true { accessUnknown(id) } else { observe(id, &actions) }
                actions.append(.recheck(id))
            }
        }
        if isClosed { for id in roster.ids { putOut(id, &actions) } }
    }
}
