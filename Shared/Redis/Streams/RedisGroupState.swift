/// The state of a consumer group in its stream.
public struct RedisGroupState: Sendable, Equatable {
    public let name: String
    /// The number of consumers in the group, alive or not.
    public let consumers: Int
    /// The number of entries that were given to consumers and not acknowledged.
    public let pending: Int
    /// The newest entry that was given to a consumer.
    public let lastDelivered: RedisStreamEntry.ID
    /// The number of entries that were not given to a consumer yet; nil if the server does not know.
    public let lag: Int?

    init(_ reply: RedisValue) throws(RedisError) {
        let values = try reply.requireNamedValues()
        name = try values.require("name").requireText()
        consumers = try Int(values.require("consumers").requireInteger())
        pending = try Int(values.require("pending").requireInteger())
        lastDelivered = try RedisStreamEntry.ID(reply: values.require("last-delivered-id"))
        lag = (values["lag"]?.integer).map { Int($0) }
    }
}

/// An entry that a consumer was given and has not acknowledged.
public struct RedisPendingEntry: Sendable, Equatable {
    public let id: RedisStreamEntry.ID
    public let consumer: String
    /// The time since the last delivery.
    public let idle: Duration
    /// The number of deliveries.
    public let deliveries: Int

    init(_ reply: RedisValue) throws(RedisError) {
        let parts = try reply.requireArray()
        guard parts.count == 4 else { throw .unexpectedReply("not a pending entry") }
        id = try RedisStreamEntry.ID(reply: parts[0])
        consumer = try parts[1].requireText()
        idle = .milliseconds(try parts[2].requireInteger())
        deliveries = try Int(parts[3].requireInteger())
    }
}

/// The first entry for a new group.
public enum RedisGroupStart: Sendable {
    /// The oldest entry that the stream still has.
    case beginning
    /// The first entry appended after the group is created.
    case end
}
