import Contract
import Wire

/// Changes of members' access.
extension RoomMachine {
    /// The member may be here: in the room, or only in the namespace.
    mutating func accessChecked(_ id: MemberID, isMember: Bool, _ actions: inout [RoomAction]) {
        guard let member = roster[id], !member.hasEnded else { return }
        guard isMember else { return observe(id, &actions) }
        switch member.phase {
        case .observing(let cursor?):
            if head != nil {
                begin(id, at: cursor, &actions)
            } else {
                change(id) { $0.enter(.entering(history: cursor)) }
            }
        // The user has joined only now: the socket begins at this head.
        case .observing, .suspended(.enter(nil)):
            change(id) { $0.enter(.entering(history: nil)) }
            if head != nil { admit(id, &actions) }
        // It goes on where it was, even at the beginning of the room.
        case .suspended(.catchUp(let cursor)):
            change(id) { $0.enter(.catchingUp(cursor: cursor, .draining)) }
            proceed(id, &actions)
        case .suspended(.enter(let entry?)): readCursor(id, entry, &actions)
        case .entering, .readingCursor, .waiting, .catchingUp, .live: break
        }
    }

    /// Nobody can tell whether the member may be here: it is sent nothing until somebody can.
    mutating func accessUnknown(_ id: MemberID) {
        guard let member = roster[id] else { return }
        switch member.phase {
        case .live(let cursor), .catchingUp(let cursor, _):
            change(id) { $0.enter(.suspended(.catchUp(cursor: cursor))) }
        case .waiting(let entry), .readingCursor(let entry): change(id) { $0.enter(.suspended(.enter(entry))) }
        // A start that the client has named is kept.
        case .entering where member.form == .me: change(id) { $0.enter(.observing(cursor: member.namedStart)) }
        case .entering: change(id) { $0.enter(.suspended(.enter(nil))) }
        case .observing, .suspended: break
        }
    }

    /// The member may not be here.
    mutating func putOut(_ id: MemberID, _ actions: inout [RoomAction]) {
        guard roster[id] != nil else { return }
        remove(id, &actions)
        actions.append(.putOut(id))
    }

    /// The member is in the namespace without being a member of the channel.
    mutating func observe(_ id: MemberID, _ actions: inout [RoomAction]) {
        guard let member = roster[id] else { return }
        if case .observing = member.phase { return }
        // Its join may not have been acknowledged yet.
        if head != nil { actions.append(.accept(id)) }
        release(member, &actions)
        slices[id] = nil
        change(id) { member in
            member.recorded = .none
            member.enter(.observing(cursor: member.cursor ?? member.acknowledgedStart ?? member.namedStart))
        }
    }

    // MARK: Checks of all

    /// Nothing goes out before every member's access has been checked.
    mutating func recheckAll(_ actions: inout [RoomAction]) {
        recheck.number += 1
        recheck.isPending = true
        actions.append(.recheckAll(recheck.number))
    }

    /// Whether no later check has begun.
    func isLastRecheck(_ number: UInt64) -> Bool { number == recheck.number }

    mutating func allRechecked(_ number: UInt64, _ actions: inout [RoomAction]) {
        // A later check takes the place of an earlier one.
        guard isLastRecheck(number) else { return }
        recheck.isPending = false
        pass(&actions)
    }
}
