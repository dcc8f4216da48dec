import Contract
import Wire

/// How changes of messages reach the sockets that hear them.
///
/// A socket is sent the changes in the order of their revisions, each after the message that it changes. It is sent every
/// change after its join, unless a later change of the same message supersedes it. A socket that is not live, or has no
/// room, gets the missed changes from chat-service as soon as it can.
extension RoomMachine {
    /// The room's revision, when its events begin to arrive or may have been lost.
    mutating func revisionReported(_ rev: Int64, _ actions: inout [RoomAction]) {
        if roster.hearingCount == 0 {
            // Some recent messages may have changed while events were lost.
            if rev > changes.passed { recent.removeAll() }
            return skipChanges(to: rev)
        }
        guard changes.order.last == nil else { return perform(changes.order.compared(rev: rev), &actions) }
        changes.start(at: rev)
        perform(changes.order.start(at: rev), &actions)
    }

    mutating func changed(_ change: RoomChange, _ actions: inout [RoomAction]) {
        recent.replace(change.message)
        // Any of the recent messages may be among those that have changed with it.
        if change.othersAfter != nil { recent.removeAll() }
        // Before `start` the room's revision is not known: a member may join before it is.
        if roster.hearingCount == 0, changes.order.last != nil { return skipChanges(to: change.rev) }
        perform(changes.order.published(change), &actions)
        if change.othersAfter != nil { perform(changes.order.compared(rev: change.rev), &actions) }
    }

    /// Without a member that hears changes, nothing is held, and no gap is fetched. A member that joins later asks for
    /// earlier changes itself.
    private mutating func skipChanges(to rev: Int64) {
        changes.order.skip(to: rev)
        changes.held = []
        changes.pass(rev)
    }

    /// The answer to `.awaitMissingChanges`.
    mutating func missingAwaited(_ actions: inout [RoomAction]) { perform(changes.order.awaited(), &actions) }

    /// The answer to `.fetchChanges`.
    mutating func changesFetched(
        _ found: [RoomChange], through rev: Int64, head: Int64, _ actions: inout [RoomAction]
    ) {
        for change in found { recent.replace(change.message) }
        perform(changes.order.fetched(found, through: rev, head: head), &actions)
    }

    mutating func changesFailed(_ actions: inout [RoomAction]) {
        changes.order.fetchFailed()
        actions.append(.compareHead(isLate: true))
    }

    private mutating func perform(_ ordered: [ChangeOrder.Action], _ actions: inout [RoomAction]) {
        for action in ordered {
            switch action {
            case .deliver(let change): changes.held.append(change)
            case .awaitMissing: actions.append(.awaitMissingChanges)
            case .fetch(let after): actions.append(.fetchChanges(after: after))
            }
        }
        passChanges(&actions)
    }

    /// Broadcasts the changes that may go out now: those of messages that have been broadcast.
    ///
    /// - Parameter id: the only member whose missed changes may be fetched from now on; nil to look at all.
    mutating func passChanges(_ actions: inout [RoomAction], nowLive id: MemberID? = nil) {
        guard let head, !recheck.isPending else { return }
        while let change = changes.held.first, change.message.body.seq <= head {
            changes.held.removeFirst()
            actions.append(.broadcastChange(change))
        }
        if changes.held.count > ChangeDelivery.mostHeld { dropHeldChanges() }
        if let id { fetchMissed(id, &actions) } else if !changes.missing.isEmpty { fetchMissed(&actions) }
    }

    /// Performs `.broadcastChange`.
    ///
    /// - Parameter send: queues the change for a socket. Returns whether the socket had room.
    /// - Returns: how many sockets the change was queued for.
    mutating func broadcastChange(
        _ change: RoomChange, blockedBy blockers: Set<UserID>? = nil, _ actions: inout [RoomAction],
        _ send: (Socket, EventVariant) -> Bool
    ) -> UInt64 {
        let (count, missed) = roster.broadcastChange(
            mayHear: { !changes.isMissing($0) && !changes.isAhead($0, of: change.rev) }, blockedBy: blockers, send)
        for id in missed where !changes.isAhead(id, of: change.rev) { changes.miss(id) }
        changes.pass(change.rev)
        if !missed.isEmpty { fetchMissed(&actions) }
        return count
    }

    /// Too many changes wait for their messages: the members fetch them later.
    private mutating func dropHeldChanges() {
        guard let last = changes.held.last else { return }
        for member in roster.members where member.hearsChanges { changes.miss(member.id) }
        changes.pass(last.rev)
        changes.held = []
    }

    // MARK: Missed changes

    private mutating func fetchMissed(_ actions: inout [RoomAction]) {
        for id in changes.missing.keys.sorted(by: { $0.rawValue < $1.rawValue }) { fetchMissed(id, &actions) }
    }

    private mutating func fetchMissed(_ id: MemberID, _ actions: inout [RoomAction]) {
        guard changes.isMissing(id), case .live? = roster[id]?.phase, let after = changes.beginFetch(id) else { return }
        actions.append(.fetchMissed(id, after: after))
    }

    /// The answer to `.fetchMissed`: the changes after the revision in order, and the revision up to which they are all.
    mutating func missedFetched(
        _ id: MemberID, _ found: [RoomChange], through rev: Int64, _ actions: inout [RoomAction]
    ) {
        guard changes.fetching.contains(id) else { return }
        guard case .live? = roster[id]?.phase else { return changes.endFetch(id, upTo: nil) }
        // Later changes are broadcast yet.
        let wanted = found.filter { $0.rev <= changes.passed }
        // The socket has room for a slice. The other changes are fetched again once it has room for them.
        let slice = Slice(wanted.map(\.message), after: 0)
        let sent = Array(wanted.prefix(slice.messages.count))
        if !sent.isEmpty { actions.append(.sendChanges(id, sent)) }
        let end = slice.isAll ? rev : sent.last?.rev ?? rev
        changes.endFetch(id, upTo: min(end, changes.passed))
        fetchMissed(id, &actions)
    }

    /// There was no answer for a member.
    mutating func missedFailed(_ id: MemberID, _ actions: inout [RoomAction]) {
        changes.endFetch(id, upTo: nil)
        fetchMissed(id, &actions)
    }
}
