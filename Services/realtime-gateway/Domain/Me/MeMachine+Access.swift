import Contract
import Wire

/// Changes of the rooms that a `/me` socket's user is in, and the rooms that are out of reach.
extension MeMachine {
    /// The rooms that could not be read because their part of the database is out of reach.
    struct Unavailable {
        var workspaces: Set<WorkspaceID> = []
        /// The rooms in them that are known: all channels of the user, and DMs that the socket is in.
        var rooms: Set<RoomID> = []

        var isEmpty: Bool { workspaces.isEmpty }

        /// Whether the user is surely in the room.
        func isMember(of room: RoomID) -> Bool { room.kind == .channel && rooms.contains(room) }

        /// Whether the user may be in the room: nobody can tell the DMs.
        func mayHave(_ room: RoomID) -> Bool { !isEmpty && (room.kind == .dm || rooms.contains(room)) }
    }

    /// The user is a member of a room now.
    mutating func gained(_ room: RoomID) -> [Action] {
        guard isReady, rooms[room] == nil else { return [] }
        // Its client has a part of it, so the socket cannot begin at the present.
        if keptCursors?[room] != nil { return [.readAgain] }
        rooms[room] = .announcing
        return [.enter(room, after: nil, head: nil)]
    }

    /// The user may have lost a room, or any of them for nil. One that still waits is in no room's roster, so no room's check
    /// finds it: it is not entered before `refreshed`.
    ///
    /// - Returns: whether there is one.
    mutating func doubt(_ room: RoomID?) -> Bool {
        for each in Array(resuming.keys) where room == nil || each == room { resuming[each]?.isDoubtful = true }
        let found = rooms.all.filter { $0.membership.isOutside && (room == nil || $0.room == room) }
        for each in found { rooms[each.room] = .doubtful }
        return !found.isEmpty
    }

    /// All rooms of the user, read again, but for those that are out of reach. These stay as they are.
    mutating func refreshed(_ found: [Room], without unavailable: Unavailable = Unavailable()) -> [Action] {
        guard isReady else { return [] }
        let current = Set(found.map(\.id))
        let kept = kept(without: unavailable)
        var actions: [Action] = []
        for (room, membership) in rooms.all where !current.contains(room) && !kept.contains(room) {
            // A room that was entered loses the socket at the place of the removal in the room's order.
            guard !membership.isOutside else {
                actions += putOut(room)
                continue
            }
            resuming[room]?.isDoubtful = true
            actions.append(.recheck(room))
        }
        for (room, membership) in rooms.all where membership == .doubtful {
            // One that is kept may still have been lost, unless it is a channel.
            if current.contains(room) || unavailable.isMember(of: room) { rooms[room] = .waiting }
        }
        actions += enterReturned(found, without: unavailable)
        for room in current.sorted() { actions += gained(room) }
        return actions + resumeNext()
    }

    /// The known rooms that are out of reach.
    private func kept(without unavailable: Unavailable) -> Set<RoomID> {
        if unavailable.isEmpty { return [] }
        let waiting = (queue + failing.values + resuming.values).filter {
            // Of the channels it is known which ones the user is still in.
            $0.room.kind == .dm && unavailable.workspaces.contains($0.workspace)
        }
        return unavailable.rooms.union(waiting.map(\.room))
    }

    /// Enters the rooms that were out of reach and that the client has a part of. It is told of them first.
    private mutating func enterReturned(_ found: [Room], without unavailable: Unavailable) -> [Action] {
        guard let cursors = keptCursors else { return [] }
        var actions: [Action] = []
        for room in found where rooms[room.id] == nil {
            guard let cursor = cursors[room.id] else { continue }
            actions.append(.send(.joined(room.id)))
            enter(room, after: cursor, &actions)
        }
        return actions + keep(cursors.leaving(out: found.map(\.id)), without: unavailable)
    }

    /// Keeps the cursors of rooms that may be out of reach. The client is told of the other rooms that it named: it cannot tell them
    /// from those.
    mutating func keep(_ cursors: MeCursors, without unavailable: Unavailable) -> [Action] {
        let lost = cursors.heads.keys.filter { !unavailable.mayHave($0) }.sorted()
        keptCursors = unavailable.isEmpty ? nil : cursors.leaving(out: lost)
        return lost.map { .send(.left($0)) }
    }
}
