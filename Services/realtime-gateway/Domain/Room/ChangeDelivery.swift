import Contract

/// The changes of a room on their way to its sockets.
struct ChangeDelivery {
    var order = ChangeOrder()
    /// The next changes in order, which may not go out yet.
    var held: ArraySlice<RoomChange> = []
    /// The revision up to which changes were broadcast.
    private(set) var passed: Int64 = 0
    /// Members that missed changes, and the revision after which.
    private(set) var missing: [MemberID: Int64] = [:]
    /// Members for which missed changes are being fetched.
    private(set) var fetching: Set<MemberID> = []
    /// Members with clients that had changes after `passed` when they joined, and the revision up to which.
    private var ahead: [MemberID: Int64] = [:]

    static let mostHeld = 4096

    /// A member joins, and its client has the changes up to a revision.
    mutating func begin(_ id: MemberID, after rev: Int64) {
        // Before `start` nothing has been broadcast: the room's revision says later whether any are missing.
        if order.last == nil || rev > passed { ahead[id] = rev } else if rev < passed { missing[id] = rev }
    }

    /// Changes up to a revision have been broadcast, or are for nobody here.
    mutating func pass(_ rev: Int64) {
        passed = max(passed, rev)
        if !ahead.isEmpty { ahead = ahead.filter { $0.value > passed } }
    }

    /// The room's revision is known for the first time: members that have less miss the changes up to it.
    mutating func start(at rev: Int64) {
        for (id, known) in ahead where known < rev { missing[id] = known }
        pass(rev)
    }

    /// Whether a member's client had changes when it joined that have not been broadcast yet.
    func isAhead(_ id: MemberID) -> Bool { ahead[id] != nil }

    /// Whether a member's client had a change when it joined.
    func isAhead(_ id: MemberID, of rev: Int64) -> Bool {
        guard !ahead.isEmpty, let known = ahead[id] else { return false }
        return rev <= known
    }

    /// Notes that a member did not get the change after `passed`.
    mutating func miss(_ id: MemberID) { if missing[id] == nil { missing[id] = passed } }

    func isMissing(_ id: MemberID) -> Bool { missing[id] != nil }

    /// Begins to fetch for a member. Returns the revision after which; nil if nothing is to be done.
    mutating func beginFetch(_ id: MemberID) -> Int64? {
        guard let after = missing[id], fetching.insert(id).inserted else { return nil }
        return after
    }

    /// A fetch for a member has ended, and the member now has the changes up to a revision; nil if it failed.
    mutating func endFetch(_ id: MemberID, upTo rev: Int64?) {
        fetching.remove(id)
        guard let rev, missing[id] != nil else { return }
        missing[id] = rev < passed ? rev : nil
    }

    /// The member has left.
    mutating func forget(_ id: MemberID) {
        missing[id] = nil
        ahead[id] = nil
        fetching.remove(id)
    }
}
