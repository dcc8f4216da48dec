import Wire

/// Counts what is heard of changes of access: an answer from before the last change that concerns its user may be out of
/// date.
struct AccessChanges {
    /// What had been heard at a moment of what concerns a user.
    struct Mark: Equatable {
        fileprivate let ofAll: Int
        fileprivate let ofUser: Int
    }

    private var ofAll = 0
    private var byUser: [UserID: Int] = [:]

    private static let mostUsers = 4096

    /// Something has changed for a user; for anybody where that is nil.
    mutating func note(_ user: UserID?) {
        guard let user else { return ofAll += 1 }
        if byUser.count >= Self.mostUsers, byUser[user] == nil {
            // Forgotten is as good as changed.
            byUser = [:]
            ofAll += 1
        }
        byUser[user, default: 0] += 1
    }

    func mark(of user: UserID) -> Mark { Mark(ofAll: ofAll, ofUser: byUser[user] ?? 0) }
}
