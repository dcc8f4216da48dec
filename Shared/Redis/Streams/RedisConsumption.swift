/// What a stream consumer reads, as whom and how fast.
public struct RedisConsumption: Sendable {
    public var stream: RedisKey
    /// Made where it does not exist, again after a FLUSHALL.
    public var group: String
    /// Unique among the living consumers of the group; after a restart the same name finds its pending entries at once.
    public var consumer: String
    /// Where a group that is made begins to read.
    public var start = RedisGroupStart.beginning
    /// Entries read at once.
    public var batch = 64
    /// Entries handled at the same time; with 1 they are handled in order.
    public var concurrency = 1
    /// Entries pending for longer are taken over from their consumer, and those whose handler failed are tried again.
    /// It must exceed the time that handling one entry takes.
    public var idleLimit = Duration.seconds(60)
    /// How long a read waits for entries, and so how long `stop` takes at most when there are none.
    public var readTimeout = Duration.seconds(1)
    /// Consumers without pending entries that have not read for so long are struck off the group.
    public var memory = Duration.seconds(24 * 3600)

    public init(stream: RedisKey, group: String, consumer: String) {
        self.stream = stream
        self.group = group
        self.consumer = consumer
    }

    /// What its operator may want to know.
    public enum Event: Sendable {
        /// The group did not exist and was made: at the very first start, or after Redis has lost its data.
        case groupCreated
        /// The handler has thrown; the entry comes again after `idleLimit`.
        case failed(RedisStreamEntry.ID, any Error)
        /// The entry was trimmed from the stream before it was handled.
        case trimmed(RedisStreamEntry.ID)
        /// Reading was interrupted and will go on.
        case interrupted(RedisError)
    }
}
