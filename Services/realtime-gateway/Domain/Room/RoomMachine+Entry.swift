import Contract
import Wire

/// A session's cursor as a joining socket finds it.
struct JoinCursor: Equatable, Sendable {
    /// The seq up to which the session was, or may have been, sent messages; nil where unknown.
    var seq: Int64?
    /// The history cursor.
    var history: Int64?
    /// A history reply left just now.
    var isFresh = false
    /// A history reply may be under way.
    var isBeingRead = false
    /// The time until all processes have written again the parts that Redis may have lost; nil if it is whole.
    var timeUntilWhole: Duration?
}

/// From a join to the seq at which the socket begins.
extension RoomMachine {
    /// The room's head is known: the member can enter.
    mutating func admit(_ id: MemberID, _ actions: inout [RoomAction]) {
        guard let member = roster[id], let head else { return }
        switch member.phase {
        case .observing: actions.append(.accept(id))
        case .entering(let history):
            if member.session == nil {
                actions.append(.accept(id))
                // Only clients of `/me` sockets name where they begin. One may know a message before this loop does.
                begin(id, at: history ?? head, &actions)
            } else {
                readCursor(id, .init(head: head, history: history), &actions)
            }
        default: break
        }
    }

    /// The cursor is read before the join is acknowledged: messages that other sockets are sent afterwards do not count.
    mutating func readCursor(_ id: MemberID, _ entry: RoomMember<Socket>.Entry, _ actions: inout [RoomAction]) {
        change(id) { $0.enter(.readingCursor(entry)) }
        actions.append(.readCursor(id))
    }

    /// Redis did not answer `.readCursor`, or has lost a part of the cursor.
    ///
    /// - Parameter roomHead: the head by chat-service. Without Redis this loop may not have heard of messages that another
    ///   socket of the session was sent already.
    mutating func cursorUnavailable(_ id: MemberID, roomHead: Int64, _ actions: inout [RoomAction]) {
        guard let member = roster[id], case .readingCursor(var entry) = member.phase else { return }
        if !entry.isAccepted { entry.head = max(entry.head, roomHead) }
        entry.isAccepted = true
        entry.isUnread = true
        actions.append(.accept(id))
        wait(id, entry, .readLastCursor(id), &actions)
    }

    /// The answer to `.readCursor`.
    mutating func cursorRead(_ id: MemberID, _ found: JoinCursor, _ actions: inout [RoomAction]) {
        guard let member = roster[id], case .readingCursor(var entry) = member.phase else { return }
        // Where a repeated message is harmless, a part of the cursor will do.
        if found.timeUntilWhole != nil, member.isCautious || (found.seq ?? entry.history) == nil {
            return actions.append(.askHead(id))
        }
        let wasAccepted = entry.isAccepted
        entry.isAccepted = true
        entry.isUnread = false
        actions.append(.accept(id))
        // Messages that other sockets of the session are sent after the join was acknowledged do not count.
        entry.sent = wasAccepted ? entry.sent ?? found.seq.map { min($0, entry.head) } : found.seq
        if entry.history != nil { return begin(id, at: entry.start, &actions) }
        if found.isBeingRead { return wait(id, entry, .startHistoryTimer(id), &actions) }
        guard let seq = entry.sent else {
            // Redis may have been unreachable for the service that answered with history.
            return wait(id, entry, .readLastCursor(id), &actions)
        }
        // A client that fetches history right after its join would get missed messages twice.
        let mayWait = member.isCautious && !found.isFresh && seq < entry.head
        if mayWait { wait(id, entry, .startHistoryTimer(id), &actions) } else { begin(id, at: seq, &actions) }
    }

    private mutating func wait(
        _ id: MemberID, _ entry: RoomMember<Socket>.Entry, _ action: RoomAction, _ actions: inout [RoomAction]
    ) {
        change(id) { $0.enter(.waiting(entry)) }
        actions.append(action)
    }

    /// No history reply has been reported for a second; the hint of one may have been lost.
    mutating func historyTimedOut(_ id: MemberID, _ actions: inout [RoomAction]) {
        guard let member = roster[id], case .waiting = member.phase else { return }
        actions.append(.readLastCursor(id))
    }

    /// The answer to `.readLastCursor`.
    ///
    /// - Parameter fallback: the history cursor that chat-service kept while Redis was away; 0 for none.
    mutating func lastCursorRead(
        _ id: MemberID, _ found: JoinCursor, fallback: Int64, _ actions: inout [RoomAction]
    ) {
        guard let member = roster[id], case .waiting(var entry) = member.phase else { return }
        let known = [entry.history, found.history, fallback > 0 ? fallback : nil].compactMap(\.self)
        entry.history = known.max()
        // Messages after the entry head are for this socket, even if another one of its session was sent them.
        if entry.sent == nil { entry.sent = found.seq.map { min($0, entry.head) } }
        begin(id, at: entry.start, &actions)
    }

    /// A history reply of the member's session held everything up to `seq`.
    ///
    /// - Parameter left: messages that it left out because a socket of the session is sent them.
    mutating func historyReported(
        _ id: MemberID, _ seq: Int64, leaving left: ClosedRange<Int64>? = nil, _ actions: inout [RoomAction]
    ) {
        guard let member = roster[id] else { return }
        let seq = change(id) { $0.skip(upTo: seq, leaving: left) } ?? seq
        switch member.phase {
        case .entering(let history): change(id) { $0.enter(.entering(history: max(history ?? 0, seq))) }
        case .readingCursor(var entry):
            entry.history = max(entry.history ?? 0, seq)
            change(id) { [entry] in $0.enter(.readingCursor(entry)) }
        case .waiting(var entry):
            entry.history = max(entry.history ?? 0, seq)
            // The session's other sockets may have been sent more than the reply held.
            if entry.isUnread {
                change(id) { [entry] in $0.enter(.waiting(entry)) }
            } else {
                begin(id, at: entry.start, &actions)
            }
        case .observing(let cursor):
            // Reading a channel's history joins the channel.
            change(id) { $0.enter(.observing(cursor: max(cursor ?? 0, seq))) }
            actions.append(.recheck(id))
        case .suspended(.enter(nil)): break
        case .suspended(.enter(var entry?)):
            entry.history = max(entry.history ?? 0, seq)
            change(id) { [entry] in $0.enter(.suspended(.enter(entry))) }
        case .suspended(.catchUp(let cursor)):
            change(id) { $0.enter(.suspended(.catchUp(cursor: max(cursor, seq)))) }
        case .catchingUp, .live: change(id) { $0.advance(to: seq) }
        }
    }

    /// The socket begins after `seq`.
    mutating func begin(_ id: MemberID, at seq: Int64, _ actions: inout [RoomAction]) {
        change(id) { $0.begin(at: seq) }
        // A device is in many rooms and lacks nothing in most of them: it is live there without waiting for its socket.
        if roster[id]?.form == .me, seq >= head ?? .max { becomeLive(id, &actions) } else { proceed(id, &actions) }
    }
}
