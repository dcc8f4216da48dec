/// The address of Redis, the credentials, and the limits of its use.
public struct RedisConfiguration: Sendable {
    /// The address of the server.
    public enum Server: Sendable, Equatable {
        /// A name or a numeric address, resolved again for each attempt to connect.
        case host(String, port: UInt16)
        /// A Unix socket.
        case unixPath(String)
    }

    public var server: Server
    /// Nodes of a cluster that name the other nodes; empty for a single server.
    public var seeds: [Server] = []
    /// The map of the cluster that all connections of the process share: see `joinCluster`.
    public internal(set) var cluster: RedisCluster?
    /// Called on any loop. Nil for no metrics and no log.
    public var onClusterEvent: (@Sendable (RedisClusterEvent) -> Void)?
    /// A user of Redis 6 or later; nil for the default user.
    public var user: String?
    /// The password; `description` and errors never show it.
    public var password: String?
    public var database = 0
    /// Called in the task of each caller; the closure that it returns receives the outcome. Nil for no traces.
    public var beginTrace: (@Sendable () -> (@Sendable (CommandReport) -> Void)?)?
    /// The name in CLIENT LIST.
    public var clientName: String?
    /// The time-out for connecting and authenticating, for each address of the host.
    public var connectTimeout = Duration.seconds(2)
    /// The default time-out of a command.
    public var commandTimeout = Duration.seconds(1)
    /// The time without bytes from the server after which it is sent a PING; after twice that the connection is closed.
    public var pingInterval = Duration.seconds(3)
    /// The greatest number of commands that wait for replies on one connection.
    public var outstandingLimit = 16_384
    /// The greatest number of bytes that wait to be sent on one connection.
    public var outputLimit = 16 * 1024 * 1024
    /// The greatest size of one reply in memory, in bytes.
    public var replyLimit = 64 * 1024 * 1024
    /// The bytes of published messages that may wait for one loop to handle them; above it, reading pauses.
    public var deliveryLimit = 16 * 1024 * 1024
    /// The waits between attempts to connect.
    public var backoff: (first: Duration, limit: Duration) = (.milliseconds(50), .seconds(1))

    /// A configuration with the server's address and defaults for the rest.
    public init(_ server: Server = .host("127.0.0.1", port: 6379)) { self.server = server }
}

extension RedisConfiguration: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The address and the database, without secrets.
    public var description: String {
        guard seeds.isEmpty else { return "redis+cluster://" + seeds.map(Self.address).joined(separator: ",") }
        return switch server {
        case .host(let host, let port): "redis://\(host):\(port)/\(database)"
        case .unixPath(let path): "unix://\(path)?db=\(database)"
        }
    }

    private static func address(_ server: Server) -> String {
        switch server {
        case .host(let host, let port): "\(host):\(port)"
        case .unixPath(let path): path
        }
    }

    public var debugDescription: String { description }

    public var customMirror: Mirror { Mirror(self, children: []) }
}
