import Contract
import EngineIO
import Wire

/// The members of a room, in one contiguous array that broadcasts go through.
struct Roster<Socket> {
    private(set) var members: [RoomMember<Socket>] = []
    /// Loads each member's socket before a broadcast reaches it; nil for sockets that are not an `EngineSocket`.
    private var sendAhead: [SendAhead?] = []
    private var slots = MemberSlots()
    private var socketCounts: [UserID: Int] = [:]
    /// How many members must not be sent a message twice.
    private(set) var cautiousCount = 0
    /// How many members are sent changes of messages.
    private(set) var hearingCount = 0

    var isEmpty: Bool { members.isEmpty }
    var count: Int { members.count }
    var ids: [MemberID] { members.map(\.id) }
    /// The users with a socket of their own here. `/me` sockets are not counted by room.
    var users: some Collection<UserID> { socketCounts.keys }

    func index(of id: MemberID) -> Int? { slots.index(of: id) { members[$0].id } }

    func ids(of user: UserID) -> [MemberID] { members.filter { $0.user == user }.map(\.id) }

    func has(_ user: UserID) -> Bool { socketCounts[user] != nil }

    subscript(id: MemberID) -> RoomMember<Socket>? { index(of: id).map { members[$0] } }

    mutating func add(_ member: RoomMember<Socket>) {
        makeSpace()
        members.withUnsafeBufferPointer { members in
            slots.insert(member.id, at: members.count) { members[$0].id }
        }
        members.append(member)
        sendAhead.append((member.socket as? EngineSocket).map(SendAhead.init))
        if let user = member.user, member.form != .me { socketCounts[user, default: 0] += 1 }
        if member.isCautious { cautiousCount += 1 }
        if member.hearsChanges { hearingCount += 1 }
    }

    /// The last member is about to take the place of the removed one.
    private mutating func removeFromSlots(_ id: MemberID, at index: Int) {
        members.withUnsafeBufferPointer { members in
            slots.remove(id) { members[$0].id }
            if index < members.count - 1 { slots.move(members[members.count - 1].id, to: index) { members[$0].id } }
        }
    }

    /// Grows the arrays by an eighth. They would grow to twice their size by themselves, and a device is in many rooms.
    private mutating func makeSpace() {
        guard members.count == members.capacity else { return }
        let capacity = members.count + max(4, members.count / 8)
        members.reserveCapacity(capacity)
        sendAhead.reserveCapacity(capacity)
    }

    mutating func remove(_ id: MemberID) -> RoomMember<Socket>? {
        guard let index = index(of: id) else { return nil }
        removeFromSlots(id, at: index)
        let last = members.removeLast()
        let lastAhead = sendAhead.removeLast()
        let member = index < members.count ? members[index] : last
        if index < members.count {
            members[index] = last
            sendAhead[index] = lastAhead
        }
        if let user = member.user, member.form != .me, let count = socketCounts[user] {
            socketCounts[user] = count > 1 ? count - 1 : nil
        }
        if member.isCautious { cautiousCount -= 1 }
        if member.hearsChanges { hearingCount -= 1 }
        return member
    }

    mutating func change<Result>(_ index: Int, _ body: (inout RoomMember<Socket>) -> Result) -> Result {
        body(&members[index])
    }

    /// Sends a message to every live member that has not got it.
    ///
    /// - Parameters:
    ///   - blockers: the blockers of its author; nil for none.
    ///   - send: queues the message; returns whether the socket had room for it.
    /// - Returns: how many sockets the message was queued for, and the members with full sockets.
    mutating func broadcast(
        _ message: RoomMessage, blockedBy blockers: Set<UserID>?, _ send: (Socket, EventVariant) -> Bool
    ) -> (count: UInt64, behind: [MemberID]) {
        let seq = message.body.seq
        var count: UInt64 = 0
        var behind: [MemberID] = []
        let sendAhead = sendAhead
        members.withUnsafeMutableBufferPointer { members in
            for index in members.indices {
                Self.load(sendAhead, after: index)
                guard case .live(let cursor) = members[index].phase, cursor < seq else { continue }
                if members[index].wants(message) {
                    guard send(members[index].socket, members[index].variant(blockedBy: blockers)) else {
                        behind.append(members[index].id)
                        continue
                    }
                    count += 1
                }
                members[index].advanceLive(to: seq)
            }
        }
        return (count, behind)
    }

    /// Sends a change to the live members for which `mayHear` holds.
    ///
    /// - Parameters:
    ///   - blockers: the blockers of the message's author; nil for none.
    ///   - send: queues the change; returns whether the socket had room for it.
    /// - Returns: how many sockets the change was queued for, and the members that hear changes and did not get it.
    func broadcastChange(
        mayHear: (MemberID) -> Bool, blockedBy blockers: Set<UserID>?, _ send: (Socket, EventVariant) -> Bool
    ) -> (count: UInt64, missed: [MemberID]) {
        var count: UInt64 = 0
        var missed: [MemberID] = []
        for member in members where member.hearsChanges {
            if case .live = member.phase, mayHear(member.id),
                send(member.socket, member.variant(blockedBy: blockers))
            {
                count += 1
            } else {
                missed.append(member.id)
            }
        }
        return (count, missed)
    }

    /// How many members ahead a connection is loaded, and as many before that its socket.
    private static var distance: Int { 12 }

    /// Loads the memory of members after `index`. All of them must be alive.
    ///
    /// In an earlier form of this loop, a delivery to one of 2,000 sockets cost 2.45 µs with it and 3.0 µs without it: medians
    /// of four runs in turn of `deploy/bench fanout a --quick`, on a busy machine. One event at a time showed no difference.
    private static func load(_ sendAhead: [SendAhead?], after index: Int) {
        if index + 2 * distance < sendAhead.count { sendAhead[index + 2 * distance]?.fetchSocket() }
        if index + distance < sendAhead.count { sendAhead[index + distance]?.fetchConnection() }
    }
}

extension RoomMember {
    /// The rendering of a message with these blockers of its author; nil for none.
    fileprivate func variant(blockedBy blockers: Set<UserID>?) -> EventVariant {
        guard let blockers, let user else { return EventVariant(form: form, isBlocked: false) }
        return EventVariant(form: form, isBlocked: blockers.contains(user))
    }
}
