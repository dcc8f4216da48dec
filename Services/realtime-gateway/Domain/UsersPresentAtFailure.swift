import Wire

/// The users in the room when the handling of a message failed, by the collapse id of its push. They have seen the
/// message, so they get no push when it is handled again. Above the limit all entries are dropped, and some users get a
/// push for a message that they saw.
struct UsersPresentAtFailure {
    private var users: [String: Set<UserID>] = [:]
    private let limit: Int

    /// - Parameter limit: messages.
    init(limit: Int = 4096) { self.limit = limit }

    /// Keeps the users of a message.
    mutating func note(_ present: Set<UserID>, _ id: String) {
        if users.count >= limit { users.removeAll() }
        users[id] = present
    }

    /// Returns and forgets the users of a message.
    mutating func take(_ id: String) -> Set<UserID> { users.removeValue(forKey: id) ?? [] }
}
