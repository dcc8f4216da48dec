/// The state of a consumer in its group.
public struct RedisConsumerState: Sendable, Equatable {
    public let name: String
    /// The number of entries that it was given and has not acknowledged.
    public let pending: Int
    /// The time since it last asked for entries.
    public let idle: Duration

    init(_ reply: RedisValue) throws(RedisError) {
        let values = try reply.requireNamedValues()
        name = try values.require("name").requireText()
        pending = try Int(values.require("pending").requireInteger())
        idle = .milliseconds(try values.require("idle").requireInteger())
    }
}
