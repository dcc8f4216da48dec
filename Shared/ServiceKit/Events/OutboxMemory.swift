/// How long an outbox remembers what it has told, and its stream the entries.
public struct OutboxMemory: Sendable {
    /// What every group of the stream has acknowledged.
    let acknowledged: Duration
    /// What no group reads: one may yet come, or come back to a Redis that has lost it.
    let unheard: Duration

    public init(acknowledged: Duration, unheard: Duration) {
        self.acknowledged = acknowledged
        self.unheard = unheard
    }

    /// That of facts.
    public static let day = OutboxMemory(acknowledged: .seconds(86_400), unheard: .seconds(86_400))
}
