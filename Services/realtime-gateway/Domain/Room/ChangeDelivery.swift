import Contract

/// The changes of a room on their way to its sockets.
struct ChangeDelivery {
    var order = ChangeOrder()
    /// The next changes in order, which may not go out yet.
    var held: ArraySlice<RoomChange> = []
    /// The revision up to which changes were broadcast.
    var passed: Int64 = 0
    /// Members that missed changes, and the revision after which.
    private(set) var missing: [MemberID: Int64] = [:]
    /// Members for which missed changes are being fetched.
    private(set) var fetching: Set<MemberID> = []

    static let mostHeld = 4096

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
        fetching.remove(id)
    }
}
