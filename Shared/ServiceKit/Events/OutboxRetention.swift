/// How long an outbox keeps published rows, and its stream their entries.
public struct OutboxRetention: Sendable {
    /// For entries that every consumer group has acknowledged.
    let acknowledged: Duration
    /// For entries of a stream without a consumer group. A group may be created later, or again after Redis has lost
    /// it.
    let unread: Duration

    public init(acknowledged: Duration, unread: Duration) {
        self.acknowledged = acknowledged
        self.unread = unread
    }

    /// The retention of facts.
    public static let day = OutboxRetention(acknowledged: .seconds(86_400), unread: .seconds(86_400))
}
