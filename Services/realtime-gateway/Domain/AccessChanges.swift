import Wire

/// Counts changes of access. An answer about a user from before the last change that concerns the user may be outdated.
struct AccessChanges {
    /// The changes that concern a user, counted up to a moment.
    struct Mark: Equatable {
        fileprivate let ofAll: Int
        fileprivate let ofUser: Int
    }

    private var ofAll = 0
    private var byUser: [UserID: Int] = [:]

    private let mostUsers: Int

    /// - Parameter mostUsers: users that are counted by themselves.
    init(mostUsers: Int = 4096) { self.mostUsers = mostUsers }

    /// Something has changed for a user, or for all users if that is nil.
    mutating func note(_ user: UserID?) {
        guard let user else { return ofAll += 1 }
        if byUser.count >= mostUsers, byUser[user] == nil {
            // A forgotten count counts as a change.
            byUser = [:]
            ofAll += 1
        }
        byUser[user, default: 0] += 1
    }

    func mark(of user: UserID) -> Mark { Mark(ofAll: ofAll, ofUser: byUser[user] ?? 0) }
}
