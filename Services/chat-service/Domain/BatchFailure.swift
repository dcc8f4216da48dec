/// Why the database did not confirm a batch of messages.
enum BatchFailure: Error {
    /// The database rejected a statement and rolled the batch back, or a value cannot be a parameter. The batch may succeed
    /// without one of its messages.
    case rejected(any Error)
    /// The batch did not reach the database.
    case notSent(any Error)
    /// The batch may have been committed: its reply was lost or late.
    case unknown(any Error)

    /// Whether certainly nothing of the batch was committed.
    var isWithoutEffect: Bool { if case .unknown = self { false } else { true } }

    /// The store's own error, for logs and for the reply.
    var cause: any Error {
        switch self {
        case .rejected(let cause), .notSent(let cause), .unknown(let cause): cause
        }
    }
}
