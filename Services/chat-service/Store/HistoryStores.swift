import Postgres

/// The stores that a history is read from: those of the primary, or of a replica while the primary does not answer.
struct HistoryStores: Sendable {
    let messages: MessageStore
    let details: MessageDetailStore
    let changes: ChangeStore
    /// Whether they are on the server that takes writes.
    let isPrimary: Bool

    init(database: PostgresPool, isPrimary: Bool) {
        messages = MessageStore(database: database)
        details = MessageDetailStore(database: database)
        changes = ChangeStore(database: database, details: details)
        self.isPrimary = isPrimary
    }
}

extension Error {
    /// Whether a store has failed because its server did not answer or cannot write, or because of a lock that was not released in time.
    /// Not when the pool is overloaded.
    var isOutageOfStore: Bool {
        guard let error = self as? PostgresError else { return false }
        switch error.kind {
        case .unavailable, .connectionLost, .timeout: return true
        default: return error.isLockTimeout
        }
    }
}
