import Wire

/// The result of a send after the commit of its batch.
enum SendOutcome: Sendable, Equatable {
    case written(Written)
    /// An earlier send wrote the same body under this `clientID`.
    case known(Written)
    /// An earlier send wrote another body under this `clientID`.
    case conflicting
    /// The room's clock runs too far ahead of the real one: the room receives more than one message in two
    /// milliseconds.
    case overloaded
    /// The room is closed.
    case closed
    /// The message that it replies to does not exist, or it or its root is deleted.
    case noThread

    /// The values that the database assigned to a message.
    struct Written: Sendable, Equatable {
        let id: ChatID
        let seq: Int64
        let createdAt: Timestamp
        let files: [String]
        /// Above 0 if the message has changed since.
        var rev: Int64 = 0
        /// The root of the thread of a reply.
        var root: Int64?
    }
}
