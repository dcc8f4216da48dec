/// Why a command brought no reply, or not the one it promises.
public enum RedisError: Error, Sendable, Equatable, CustomStringConvertible {
    /// There is no connection at present; the command was not sent.
    case notConnected
    /// Too many commands or bytes wait for the server; the command was not sent.
    case overloaded
    /// No reply came in time. Whether the command was executed is unknown.
    case timedOut
    /// The connection was lost, for the reason given, before the reply came.
    /// Whether the command was executed is unknown.
    case connectionLost(String)
    /// Connecting, authenticating or choosing the database failed.
    case connectFailed(String)
    /// The server refused the command.
    case server(RedisRefusal)
    /// The reply has another form than the command's.
    case unexpectedReply(String)
    /// The client was closed here.
    case closed

    /// Whether the server may have executed the command although it brought no reply.
    public var mayHaveExecuted: Bool {
        switch self {
        case .timedOut, .connectionLost, .unexpectedReply: true
        case .notConnected, .overloaded, .connectFailed, .server, .closed: false
        }
    }

    /// The first word of the server's refusal.
    public var code: Substring? {
        if case .server(let refusal) = self { refusal.code } else { nil }
    }

    public var description: String {
        switch self {
        case .notConnected: "no connection to Redis"
        case .overloaded: "too much waits for Redis"
        case .timedOut: "Redis did not reply in time"
        case .connectionLost(let reason): "the connection to Redis was lost: \(reason)"
        case .connectFailed(let reason): "could not connect to Redis: \(reason)"
        case .server(let refusal): "Redis: \(refusal)"
        case .unexpectedReply(let what): "unexpected reply of Redis: \(what)"
        case .closed: "the Redis client is closed"
        }
    }
}
