public import Wire

/// The address of the server and the limits of a pool.
public struct PostgresConfiguration: Sendable {
    /// A libpq connection string: `postgres://user:password@host:5432/database?sslmode=require`, or `key=value` pairs.
    /// A host that begins with `/` is the directory of a Unix socket. Of several hosts, `a:5432,b:5432`, the pool follows the
    /// one that can write, unless `target_session_attrs` asks for something else.
    public var connectionString: String
    /// The name of the sessions in the server's activity view.
    public var applicationName = "maru"
    /// The search path of the sessions, a plain identifier; nil for the role's own setting.
    public var schema: String?
    /// The most connections of each loop. The first one is opened for the first statement.
    public var connectionsPerLoop = 4
    /// Another connection is opened when the least busy one has this many statements in flight.
    public var busyDepth = 4
    /// The most statements in flight on one connection; further ones wait.
    public var pipelineDepth = 256
    /// The most reads that share a sync and so wait for the slowest of them; 1 for no sharing.
    public var readsPerSync = 32
    /// The most callers that wait for a connection on each loop; further ones are refused.
    public var waitLimit = 1024
    /// The longest wait for a connection; then the caller is refused.
    public var waitTimeout = Duration.seconds(2)
    /// The time limit of a statement from the call to its result, unless the caller sets another deadline.
    public var deadline = Duration.seconds(5)
    /// Further settings of the sessions, such as those of an extension.
    public var sessionSettings: [String: String] = [:]
    /// Whether a batch is sent within BEGIN and COMMIT. A server that sends statements on to others, as Citus does, sees the
    /// transaction of a batch by them alone. A batch then has a connection for itself.
    public var beginsBatches = false
    /// The server's time limit for a statement; 0 for none.
    public var statementTimeout = Duration.seconds(5)
    /// The server's time limit for an idle transaction, after which it ends the session; 0 for none.
    public var idleInTransactionTimeout = Duration.seconds(15)
    /// The time limit for opening a connection to one host, including name resolution.
    public var connectTimeout = Duration.seconds(2)
    /// After this time without an answer to any statement of a session, the pool opens another session there. If that gets no
    /// answer within `connectTimeout`, all sessions at that host are given up.
    public var silenceLimit = Duration.seconds(2)
    /// The pauses between failed attempts to connect.
    public var backoff = Backoff(first: .milliseconds(50), limit: .seconds(2))
    /// The pauses between failed searches through several hosts.
    public var searchBackoff = Backoff(first: .milliseconds(50), limit: .milliseconds(500))
    /// An unused connection is closed after this time; each loop keeps one.
    public var idleTimeout = Duration.seconds(300)
    /// An abandoned statement is cancelled on the server after this time.
    public var cancelGrace = Duration.milliseconds(100)
    /// A connection is closed as dead if an abandoned statement brings no answer for this time.
    public var stallLimit = Duration.seconds(5)
    /// Called in the task of each caller; the closure that it returns receives the report of that call. Nil for no traces.
    public var beginTrace: (@Sendable () -> (@Sendable (StatementReport) -> Void)?)?
    /// Receives a report of every call, on its loop; it must not block.
    public var onStatement: (@Sendable (StatementReport) -> Void)?

    /// The defaults, for the server at `connectionString`.
    public init(_ connectionString: String) { self.connectionString = connectionString }
}
