public import Contract
public import EventLoop
public import HTTP
internal import Postgres
internal import Redis
public import Telemetry

/// Builds a service: its composition root takes the parts it needs from here and passes them down.
///
/// - Note: `@unchecked Sendable` because only the composition root uses it, which runs on one loop, and then the service
///   that is started from it.
public final class ServiceBuilder: @unchecked Sendable {
    /// A step of the service's life, such as closing a connection.
    public typealias Work = @Sendable () async throws -> Void

    public let name: String
    public let config: Config
    public let loops: EventLoopGroup
    /// For blocking work: name resolution and files.
    public let pool: BlockingPool
    public let profiles: ClientProfiles
    public let log: Log
    /// The metrics, which operators read at `/metrics` on the internal port.
    public let metrics: MetricsRegistry
    /// Chooses the calls to trace; nil without a collector.
    public let tracer: Tracer?
    /// The client for calls to other servers.
    public let http: HTTPClient

    /// The largest number of client connections.
    let connections: ConnectionBudget

    private(set) var api = API()
    var life = Life()
    /// Receives the files of calls while they arrive.
    var files: (any FileStore)?
    var tokens = Tokens()
    /// Counts messages of other services that this one cannot read.
    public let unknownMessages: UnknownMessages
    /// The one Redis client of the service, once it has been asked for.
    var sharedRedis: Redis?
    /// The settings of all connections to Redis, once they have been read.
    var knownRedis: RedisConfiguration?
    /// Divides the service's tables over several servers; nil for tables on one.
    var distribution: Distribution?
    /// The stores and queues that the metrics show.
    var measured = StoreMetrics.Subjects()

    /// The routes of a service.
    struct API {
        var routes = PublicRoutes()
        var internalRoutes = InternalRoutes()
        var operatorRoutes = OperatorRoutes()
        /// Writes the audit log of operators; nil for the internal API of workspace-service, which has it.
        var journal: OperatorAPI.Journal?
        var mounts: [Mount] = []
    }

    /// The work of a service outside its calls, by the time when it runs.
    struct Life {
        var atStart: [@Sendable (_ instanceAddress: SocketAddress) -> Void] = []
        var backgrounds: [BackgroundWork] = []
        var consumers: [RedisStreamConsumer] = []
        var checks: [ReadinessCheck] = []
        var atDrain: [Work] = []
        /// Run in reverse order.
        var atEnd: [Work] = []
    }

    /// How tokens are verified.
    struct Tokens {
        /// Another authority than auth-service's internal API.
        var authority: (any TokenAuthority)?
        var access: (authenticator: Authenticator, revocations: Revocations)?
    }

    init(name: String, config: Config, loops: EventLoopGroup, log: Log) throws {
        self.name = name
        self.config = config
        self.loops = loops
        self.log = log
        metrics = MetricsRegistry(for: loops)
        metrics.add(ProcessMetrics())
        metrics.add(BuildMetrics(service: name))
        connections = ConnectionBudget(wanted: config[CommonSettings.connections], metrics: metrics, log: log)
        unknownMessages = UnknownMessages(metrics: metrics, log: log)
        guard let clients = Config.textOfFile(config[CommonSettings.clientsFile]) else {
            throw ConfigError("clients_file: cannot read \(config[CommonSettings.clientsFile])")
        }
        profiles = try ClientProfiles(json: Array(clients.utf8))
        pool = BlockingPool(threads: 4, limit: 1024)
        http = HTTPClient(on: loops, configuration: Self.httpConfiguration(config))
        let collector = try TraceSettings.url(config)
        tracer = collector.map { [metrics] _ in Tracer(TraceSettings.limits(config), on: loops, metrics: metrics) }
        life.atEnd = [{ [pool] in pool.stop() }, { [http] in http.close() }]
        if let tracer, let collector { export(from: tracer, to: collector) }
    }

    /// The client connections that may be open at once, sockets included.
    public var connectionLimit: Int { connections.limit }

    // MARK: Routes

    /// Adds routes for clients.
    public func publicRoutes(_ add: (inout PublicRoutes) -> Void) { add(&api.routes) }

    /// Passes all public requests below `prefix` to `handler`: for endpoints outside the contract's API, such as sockets.
    public func mount(_ prefix: StaticString, _ handler: @escaping Mount.Handler) {
        api.mounts.append(Mount(prefix: Array(String(describing: prefix).utf8), handler: handler))
    }

    /// Adds routes for other services.
    public func internalRoutes(_ add: (inout InternalRoutes) -> Void) { add(&api.internalRoutes) }

    /// Adds routes for operators.
    public func operatorRoutes(_ add: (inout OperatorRoutes) -> Void) { add(&api.operatorRoutes) }

    /// Writes the audit log of operators by `journal`: for workspace-service, which has the log.
    public func recordOperatorActs(by journal: @escaping @Sendable (OperatorAct) async throws -> Void) {
        api.journal = journal
    }

    // MARK: Life

    /// Runs `work` while the service runs, on the loop that it is given, until its task is cancelled. If it throws or
    /// returns, it is restarted after a pause that grows.
    public func background(_ name: StaticString, _ work: @escaping @Sendable (EventLoop) async throws -> Void) {
        life.backgrounds.append(BackgroundWork(name, work))
    }

    /// Repeats `work` while the service runs: at its start, and `pause` after each run has ended. If it throws, it is
    /// repeated after a pause that grows.
    public func background(_ name: StaticString, every pause: Duration, _ work: @escaping Work) {
        life.backgrounds.append(BackgroundWork(name, every: pause, work))
    }

    /// Adds a condition: the service is not ready while `check` throws.
    public func readiness(_ name: StaticString, _ check: @escaping Work) {
        life.checks.append(ReadinessCheck(name, check))
    }

    /// Shows the length of a queue in a table as a metric with the label `name`.
    public func queue(_ name: String, length: @escaping @Sendable () async throws -> QueueLength) {
        measured.queues.append((name, length))
    }

    /// Runs `work` as soon as the service listens, with the internal address at which this instance alone is reached.
    public func atStart(_ work: @escaping @Sendable (_ instanceAddress: SocketAddress) -> Void) {
        life.atStart.append(work)
    }

    /// Runs `work` when the service stops, while its last calls still run, and waits for it. It runs before `atEnd`.
    public func atDrain(_ work: @escaping Work) { life.atDrain.append(work) }

    /// Runs `work` when the service stops, after its servers have stopped; the last one added runs first.
    public func atEnd(_ work: @escaping Work) { life.atEnd.append(work) }
}
