/// The configuration of a stream consumer.
public struct RedisConsumption: Sendable {
    public var stream: RedisKey
    /// Created if it does not exist, again after a FLUSHALL.
    public var group: String
    /// Unique among the living consumers of the group. After a restart a consumer of the same name finds its pending
    /// entries at once.
    public var consumer: String
    /// The first entry for a group that is created.
    public var start = RedisGroupStart.beginning
    /// The number of entries in one read.
    public var batch = 64
    /// The number of entries handled at the same time; with 1 they are handled in order.
    public var concurrency = 1
    /// Entries that have been pending for longer are claimed from their consumer, and entries whose handler failed are
    /// retried. It must exceed the time for handling one entry.
    public var idleLimit = Duration.seconds(60)
    /// The time that a read waits for entries, and thus the longest time that `stop` waits for an idle consumer.
    public var readTimeout = Duration.seconds(1)
    /// A consumer without pending entries that has not read for this time is removed from the group.
    public var consumerRetention = Duration.seconds(24 * 3600)

    public init(stream: RedisKey, group: String, consumer: String) {
        self.stream = stream
        self.group = group
        self.consumer = consumer
    }

    /// Events for the operator.
    public enum Event: Sendable {
        /// The group did not exist and was created: at the first start, or after Redis has lost its data.
        case groupCreated
        /// The handler has thrown; the entry is retried after `idleLimit`.
        case failed(RedisStreamEntry.ID, any Error)
        /// The entry was trimmed from the stream before it was handled.
        case trimmed(RedisStreamEntry.ID)
        /// Reading was interrupted and will continue.
        case interrupted(RedisError)
    }
}
