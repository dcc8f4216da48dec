import Contract
import Wire

/// The deletions of accounts that wait for their erasure or are under way. Several accounts are erased beside each other, so that
/// a small one does not wait for a large one.
struct ErasureQueue {
    /// Those under way included.
    private var deletions: [UserDeletion] = []
    private var underWay: Set<UserID> = []

    /// The largest number of accounts that are erased beside each other.
    static let accountsAtOnce = 8

    /// Adds a deletion, unless it is known.
    mutating func add(_ deletion: UserDeletion) {
        if !deletions.contains(deletion) { deletions.append(deletion) }
    }

    /// The deletion to begin now, if there is one. Two deletions of one account, such as two rounds, never run at the same time.
    mutating func next() -> UserDeletion? {
        guard underWay.count < Self.accountsAtOnce,
            let deletion = deletions.first(where: { !underWay.contains($0.user) })
        else { return nil }
        underWay.insert(deletion.user)
        return deletion
    }

    mutating func finish(_ deletion: UserDeletion) {
        underWay.remove(deletion.user)
        deletions.removeAll { $0 == deletion }
    }
}
