/// Where Redis is, how to enter, and what bounds its use.
public struct RedisConfiguration: Sendable {
    /// Where the server listens.
    public enum Server: Sendable, Equatable {
        /// A name or a numeric address, looked up anew for each attempt to connect.
        case host(String, port: UInt16)
        /// A Unix socket.
        case unixPath(String)
    }

    public var server: Server
    /// Of Redis 6 and later; nil for the default user.
    public var user: String?
    /// Never shown by `description` or in an error.
    public var password: String?
    public var database = 0
    /// Shown by CLIENT LIST.
    public var clientName: String?
    /// For connecting and entering, for each address of the host.
    public var connectTimeout = Duration.seconds(2)
    /// What a command has when its caller says nothing.
    public var commandTimeout = Duration.seconds(1)
    /// How long a connection may be silent before it is asked for a sign of life; after twice that it counts as lost.
    public var pingInterval = Duration.seconds(3)
    /// Commands that may wait for replies on one connection.
    public var outstandingLimit = 16_384
    /// Bytes that may wait to be sent on one connection.
    public var outputLimit = 16 * 1024 * 1024
    /// Bytes that one reply may take up in memory.
    public var replyLimit = 64 * 1024 * 1024
    /// Bytes of published messages that may wait for one loop to handle them; beyond, reading rests.
    public var deliveryLimit = 16 * 1024 * 1024
    /// The waits between attempts to connect.
    public var backoff: (first: Duration, limit: Duration) = (.milliseconds(50), .seconds(2))

    /// Takes the server's place; all else has defaults.
    public init(_ server: Server = .host("127.0.0.1", port: 6379)) { self.server = server }
}

extension RedisConfiguration: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The place and the database, without secrets.
    public var description: String {
        switch server {
        case .host(let host, let port): "redis://\(host):\(port)/\(database)"
        case .unixPath(let path): "unix://\(path)?db=\(database)"
        }
    }

    public var debugDescription: String { description }

    public var customMirror: Mirror { Mirror(self, children: []) }
}
