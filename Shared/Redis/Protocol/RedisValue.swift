/// What Redis replies with (RESP2).
public enum RedisValue: Sendable, Equatable {
    /// Nothing: an absent key, a time-out of a blocking read.
    case null
    /// A count or a number.
    case integer(Int64)
    /// A short word of the protocol, such as OK.
    case status(String)
    /// Data.
    case bytes([UInt8])
    /// A refusal inside an array; at the top it is thrown as `RedisError.server` instead.
    case error(RedisRefusal)
    /// Several values, at most seven levels deep.
    case array([RedisValue])
}

/// What the server said when it refused a command, such as `WRONGTYPE Operation against a key …`.
public struct RedisRefusal: Error, Sendable, Equatable, CustomStringConvertible {
    /// The whole message.
    public let message: String

    /// Takes the server's message.
    public init(message: String) { self.message = message }

    /// The first word of the message, by which callers decide: `NOSCRIPT`, `BUSYGROUP`, `WRONGTYPE`.
    public var code: Substring { message.prefix { $0 != " " } }

    public var description: String { message }
}
