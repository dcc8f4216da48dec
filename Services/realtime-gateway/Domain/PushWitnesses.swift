import Wire

/// The users who were in the room when handling of a message failed, by the collapse id of its push: they need no push when
/// the message is handled again. Beyond the limit all are forgotten, and some users get a push for a message that they saw.
struct PushWitnesses {
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
