import Contract
import Wire

/// How a member is sent missed messages, in slices, until it is live.
extension RoomMachine {
    /// The messages after a seq; nil if they have to be fetched.
    func recent(after seq: Int64) -> [RoomMessage]? { recent.after(seq, head: head ?? 0) }

    /// A live member with a full socket goes on from where it is, at its own pace.
    mutating func catchUp(_ id: MemberID, _ actions: inout [RoomAction]) {
        guard let cursor = roster[id]?.cursor else { return }
        change(id) { $0.enter(.catchingUp(cursor: cursor, .draining)) }
        proceed(id, &actions)
    }

    /// Begins the next round: a slice, or going live.
    mutating func proceed(_ id: MemberID, _ actions: inout [RoomAction]) {
        guard let member = roster[id], case .catchingUp(let cursor, _) = member.phase else { return }
        slices[id] = nil
        // Redis must not take a member that falls behind for a live one.
        if member.isCautious, member.recorded == .live { return claim(id, .upTo(cursor), .fallingBehind, &actions) }
        actions.append(.awaitRoom(ticket(id, .draining)))
    }

    /// The answer to `.awaitRoom` and `.awaitEmpty`.
    mutating func drained(_ ticket: Ticket, _ actions: inout [RoomAction]) {
        guard let (cursor, step) = catchUpState(ticket) else { return }
        let id = ticket.member
        switch step {
        case .draining:
            guard cursor < head ?? 0 else { return becomeLive(id, &actions) }
            // A client that knows later changes than this loop must not be sent a text from before them.
            if !changes.isAhead(id), let messages = recent(after: cursor) {
                take(id, Slice(messages, after: cursor), &actions)
            } else {
                actions.append(.fetchPage(self.ticket(id, .fetching), after: cursor))
            }
        case .sending: sendSlice(id, &actions)
        case .emptying: claim(id, .live, .goingLive, &actions)
        default: break
        }
    }

    /// The answer to `.fetchPage`: the messages after the cursor, and the seq up to which there are no others.
    ///
    /// - Parameter version: that of `recent` when the page was asked for.
    mutating func pageFetched(
        _ ticket: Ticket, _ messages: [RoomMessage], end: Int64, askedAt version: UInt64,
        _ actions: inout [RoomAction]
    ) {
        guard let (cursor, step) = catchUpState(ticket), step == .fetching, let head else { return }
        recent.prepend(messages, after: cursor, through: end, head: head, askedAt: version)
        let messages = messages.filter { $0.body.seq > cursor && $0.body.seq <= head }
        take(ticket.member, Slice(messages, after: cursor, through: min(end, head)), &actions)
    }

    /// The answer to `.writeCursor`.
    mutating func cursorWritten(_ ticket: Ticket, _ actions: inout [RoomAction]) {
        guard let (_, step) = catchUpState(ticket) else { return }
        switch step {
        case .fallingBehind: actions.append(.awaitRoom(self.ticket(ticket.member, .draining)))
        // Another room may have used the socket's room meanwhile.
        case .claiming: actions.append(.awaitRoom(self.ticket(ticket.member, .sending)))
        case .goingLive: goLive(ticket.member, &actions)
        default: break
        }
    }

    /// A call of the step failed.
    mutating func stepFailed(_ ticket: Ticket, _ actions: inout [RoomAction]) {
        guard catchUpState(ticket) != nil else { return }
        actions.append(.retryLater(self.ticket(ticket.member, .pausing)))
    }

    mutating func retry(_ ticket: Ticket, _ actions: inout [RoomAction]) {
        if catchUpState(ticket) != nil { proceed(ticket.member, &actions) }
    }

    private mutating func take(_ id: MemberID, _ slice: Slice, _ actions: inout [RoomAction]) {
        slices[id] = slice
        guard let member = roster[id] else { return }
        if member.isCautious || member.recorded == .none && member.session != nil {
            claim(id, .upTo(slice.end), .claiming, &actions)
        } else {
            actions.append(.awaitRoom(ticket(id, .sending)))
        }
    }

    private mutating func sendSlice(_ id: MemberID, _ actions: inout [RoomAction]) {
        guard let slice = slices.removeValue(forKey: id) else { return proceed(id, &actions) }
        send(slice, to: id, &actions)
        proceed(id, &actions)
    }

    private mutating func send(_ slice: Slice, to id: MemberID, _ actions: inout [RoomAction]) {
        guard let member = roster[id], let cursor = member.cursor else { return }
        // A history reply may have held some of them meanwhile.
        let wanted = slice.messages.filter { $0.body.seq > cursor && member.wants($0) }
        if !wanted.isEmpty { actions.append(.send(id, wanted)) }
        change(id) { member in
            member.advance(to: slice.end)
            member.forgetSkipped(upTo: slice.end)
        }
    }

    /// Nothing is missing.
    mutating func becomeLive(_ id: MemberID, _ actions: inout [RoomAction]) {
        guard let member = roster[id] else { return }
        if member.isCautious {
            // Redis must not take messages for sent that have not left.
            actions.append(.awaitEmpty(ticket(id, .emptying)))
        } else if member.recorded == .none && member.session != nil {
            claim(id, .live, .goingLive, &actions)
        } else {
            goLive(id, &actions)
        }
    }

    /// Messages that were broadcast while Redis was told have been reserved, and are sent before the member is live.
    private mutating func goLive(_ id: MemberID, _ actions: inout [RoomAction]) {
        guard let cursor = roster[id]?.cursor, let missed = recent(after: cursor) else { return proceed(id, &actions) }
        let slice = Slice(missed, after: cursor)
        guard slice.isAll else { return proceed(id, &actions) }
        send(slice, to: id, &actions)
        change(id) { $0.enter(.live(cursor: max(cursor, slice.end, $0.cursor ?? 0))) }
        if roster[id]?.form == .me { actions.append(.caughtUp(id)) }
        passChanges(&actions, nowLive: id)
    }

    /// Writes the session's cursor. Where repeats are harmless, Redis only has to know where the socket began.
    private mutating func claim(
        _ id: MemberID, _ recorded: RoomMember<Socket>.Recorded, _ step: CatchUpStep, _ actions: inout [RoomAction]
    ) {
        // It is set before it is written, so that a rewrite meanwhile does not take it back.
        change(id) { $0.recorded = recorded }
        let ticket = ticket(id, step)
        if let write = change(id, { $0.cursorWrite() }) ?? nil { actions.append(.writeCursor(ticket, write)) }
    }

    /// Enters a step and returns its ticket.
    private mutating func ticket(_ id: MemberID, _ step: CatchUpStep) -> Ticket {
        let number = change(id) { member in
            if let cursor = member.cursor { member.enter(.catchingUp(cursor: cursor, step)) }
            return member.step
        }
        return Ticket(member: id, step: number ?? 0)
    }

    /// The state of the member of a ticket; nil if it has left or gone on.
    private func catchUpState(_ ticket: Ticket) -> (cursor: Int64, step: CatchUpStep)? {
        guard let member = roster[ticket.member], member.step == ticket.step,
            case .catchingUp(let cursor, let step) = member.phase
        else { return nil }
        return (cursor, step)
    }

    /// The member's cursor, to be written again; nil if it has none.
    mutating func rewrite(_ id: MemberID) -> CursorWrite? {
        guard let member = roster[id], member.recorded != .none else { return nil }
        return member.isCautious
            ? change(id) { $0.cursorWrite() } ?? nil : .confirmed(member.confirmed)
    }
}

extension RoomMember {
    /// The write of the record.
    fileprivate mutating func cursorWrite() -> CursorWrite? {
        guard let cursor, session != nil else { return nil }
        guard isCautious else {
            confirmStart(cursor)
            return .confirmed(confirmed)
        }
        return switch recorded {
        case .none: nil
        case .upTo(let end): .claim(cursor: cursor, start: start, end: end)
        case .live: .claim(cursor: cursor, start: start, end: nil)
        }
    }
}
