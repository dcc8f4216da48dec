/// How far a consumer group has come in its stream.
public struct RedisGroupState: Sendable, Equatable {
    public let name: String
    /// Consumers known by name, alive or not.
    public let consumers: Int
    /// Entries given out and not acknowledged.
    public let pending: Int
    /// The newest entry given out.
    public let lastDelivered: RedisStreamEntry.ID
    /// Entries not yet given out; nil where the server cannot tell.
    public let lag: Int?

    init(_ reply: RedisValue) throws(RedisError) {
        let facts = try reply.requireFacts()
        name = try facts.require("name").requireText()
        consumers = try Int(facts.require("consumers").requireInteger())
        pending = try Int(facts.require("pending").requireInteger())
        lastDelivered = try RedisStreamEntry.ID(reply: facts.require("last-delivered-id"))
        lag = (facts["lag"]?.integer).map { Int($0) }
    }
}

/// An entry that a consumer was given and has not acknowledged.
public struct RedisPendingEntry: Sendable, Equatable {
    public let id: RedisStreamEntry.ID
    public let consumer: String
    /// Since it was last given out.
    public let idle: Duration
    /// How often it was given out.
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

/// Where a new group begins to read.
public enum RedisGroupStart: Sendable {
    /// With the oldest entry that the stream still has.
    case beginning
    /// With what is appended after the group is made.
    case end
}
