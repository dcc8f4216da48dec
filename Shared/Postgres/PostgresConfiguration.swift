public import Wire

/// Where the server is and how a pool behaves.
public struct PostgresConfiguration: Sendable {
    /// A libpq connection string: `postgres://user:password@host:5432/database?sslmode=require`, or `key=value` pairs.
    /// A host that begins with `/` is the folder of a Unix socket.
    public var connectionString: String
    /// What the server's activity view calls the sessions.
    public var applicationName = "maru"
    /// The schema that names without one mean; the role's own setting when nil. A plain identifier.
    public var schema: String?
    /// So many connections at most are opened by each loop, the first with the first statement.
    public var connectionsPerLoop = 4
    /// Where even the least busy connection has so many statements under way, another one is opened.
    public var busyDepth = 4
    /// So many statements at most are under way on one connection; more wait.
    public var pipelineDepth = 256
    /// So many reads at most share a sync, and so wait for the slowest of them; 1 gives each its own.
    public var readsPerSync = 32
    /// So many callers at most wait for a connection on each loop; more are refused.
    public var waitLimit = 1024
    /// How long a caller waits for a connection before it is refused.
    public var waitTimeout = Duration.seconds(2)
    /// How long a statement may take from the call to its result, unless the caller asks for another deadline.
    public var deadline = Duration.seconds(5)
    /// How long the server lets a statement run; 0 for ever.
    public var statementTimeout = Duration.seconds(5)
    /// How long the server lets a transaction stand idle before it ends the session; 0 for ever.
    public var idleInTransactionTimeout = Duration.seconds(15)
    /// How long making a connection may take, name resolution included.
    public var connectTimeout = Duration.seconds(3)
    /// The pauses between failing attempts to connect.
    public var backoff = Backoff(first: .milliseconds(50), limit: .seconds(2))
    /// A connection unused for so long is closed, but for one on each loop.
    public var idleTimeout = Duration.seconds(300)
    /// How long an abandoned statement may go on before it is cancelled on the server.
    public var cancelGrace = Duration.milliseconds(100)
    /// A connection on which an abandoned statement brings no answer for so long is taken for dead and closed.
    public var stallLimit = Duration.seconds(5)
    /// Is told of every call, on its loop; must be quick.
    public var onStatement: (@Sendable (StatementReport) -> Void)?

    /// The defaults, for a server.
    public init(_ connectionString: String) { self.connectionString = connectionString }
}
