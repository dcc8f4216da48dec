/// A reply of Redis (RESP2).
public enum RedisValue: Sendable, Equatable {
    /// No value: an absent key, or the time-out of a blocking read.
    case null
    /// A count or a number.
    case integer(Int64)
    /// A short word of the protocol, such as OK.
    case status(String)
    /// Data.
    case bytes([UInt8])
    /// An error inside an array; a whole reply that is an error is thrown as `RedisError.server`.
    case error(RedisRefusal)
    /// Several values, nested at most seven levels deep.
    case array([RedisValue])
}

/// The server's error message, such as `WRONGTYPE Operation against a key …`.
public struct RedisRefusal: Error, Sendable, Equatable, CustomStringConvertible {
    /// The whole message.
    public let message: String

    /// Wraps the server's message.
    public init(message: String) { self.message = message }

    /// The first word of the message, which identifies the error: `NOSCRIPT`, `BUSYGROUP`, `WRONGTYPE`.
    public var code: Substring { message.prefix { $0 != " " } }

    public var description: String { message }
}
