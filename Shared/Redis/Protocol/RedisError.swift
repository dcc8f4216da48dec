/// Why a command has no reply, or an unexpected one.
public enum RedisError: Error, Sendable, Equatable, CustomStringConvertible {
    /// There is no connection at present; the command was not sent.
    case notConnected
    /// Too many commands or bytes wait for the server; the command was not sent.
    case overloaded
    /// No reply arrived in time. Whether the command was executed is unknown.
    case timedOut
    /// The connection was lost, for the given reason, before the reply arrived. Whether the command was executed is
    /// unknown.
    case connectionLost(String)
    /// Connecting, authenticating or selecting the database failed.
    case connectFailed(String)
    /// The server refused the command.
    case server(RedisRefusal)
    /// The reply does not have the form that the command promises.
    case unexpectedReply(String)
    /// The client has been closed.
    case closed

    /// The first word of the server's error.
    public var code: Substring? {
        if case .server(let refusal) = self { refusal.code } else { nil }
    }

    public var description: String {
        switch self {
        case .notConnected: "no connection to Redis"
        case .overloaded: "too many commands wait for Redis"
        case .timedOut: "Redis did not reply in time"
        case .connectionLost(let reason): "the connection to Redis was lost: \(reason)"
        case .connectFailed(let reason): "could not connect to Redis: \(reason)"
        case .server(let refusal): "Redis: \(refusal)"
        case .unexpectedReply(let what): "unexpected reply from Redis: \(what)"
        case .closed: "the Redis client is closed"
        }
    }
}
