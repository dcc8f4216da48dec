import Wire

/// The rooms of one `/me` socket in the order of their ids. A sorted array takes a third of a dictionary's memory.
struct MeMemberships {
    enum Membership: UInt8 {
        /// Its turn to be entered has not come.
        case waiting
        /// Like `waiting`, but the user may have lost it meanwhile: it is not entered before all rooms have been read again.
        case doubtful
        /// Entered, and sent the missing messages.
        case resuming
        /// Entered, and its client is told as soon as later messages reach the socket.
        case announcing
        case entered

        var isOutside: Bool { self == .waiting || self == .doubtful }
    }

    private(set) var all: [(room: RoomID, membership: Membership)] = []

    var ids: [RoomID] { all.map(\.room) }

    subscript(room: RoomID) -> Membership? {
        get {
            let index = index(of: room)
            return holds(room, at: index) ? all[index].membership : nil
        }
        set {
            let index = index(of: room)
            switch (holds(room, at: index), newValue) {
            case (true, let membership?): all[index].membership = membership
            case (true, nil): all.remove(at: index)
            case (false, let membership?): all.insert((room, membership), at: index)
            case (false, nil): break
            }
        }
    }

    mutating func remove(_ room: RoomID) -> Membership? {
        defer { self[room] = nil }
        return self[room]
    }

    mutating func reserve(_ count: Int) { all.reserveCapacity(count) }

    private func holds(_ room: RoomID, at index: Int) -> Bool { index < all.count && all[index].room == room }

    /// The index of the first room that is not before this one.
    private func index(of room: RoomID) -> Int {
        var low = 0
        var high = all.count
        while low < high {
            let middle = (low + high) / 2
            if all[middle].room < room { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
