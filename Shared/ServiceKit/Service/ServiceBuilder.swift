public import Contract
public import EventLoop
internal import Glibc
public import HTTP
public import Postgres
public import Redis
public import Telemetry
internal import Wire

/// What a service is put together from: its composition root takes the parts it needs from here and passes them on.
///
/// - Note: `@unchecked Sendable` because only the composition root, which runs on one loop, and then the service that is
///   started from it touch it.
public final class ServiceBuilder: @unchecked Sendable {
    /// Work that runs as long as the service does; it returns or throws when its task is cancelled.
    public typealias Work = @Sendable () async throws -> Void

    public let name: String
    public let config: Config
    public let loops: EventLoopGroup
    /// For work that blocks: name resolution and files.
    public let pool: BlockingPool
    public let profiles: ClientProfiles
    public let log: Log
    /// What is counted; the page of it is on the internal port.
    public let metrics: MetricsRegistry
    /// Calls other servers.
    public let http: HTTPClient

    private(set) var routes = PublicRoutes()
    private(set) var internalRoutes = InternalRoutes()
    private(set) var mounts: [Mount] = []
    private(set) var backgrounds: [Background] = []
    private(set) var endings: [Work] = []
    private(set) var drains: [Work] = []
    private(set) var beginnings: [@Sendable (_ internalAddress: SocketAddress) -> Void] = []
    private(set) var consumers: [RedisStreamConsumer] = []
    private(set) var checks: [ReadinessCheck] = []
    /// Where files of calls are kept while they come in.
    private(set) var files: (any FileStore)?
    /// Counts messages of other services that this one cannot read.
    public let unknownMessages: UnknownMessages
    private var authority: (any TokenAuthority)?
    private var knownRedis: Redis?
    private var knownAccess: (authenticator: Authenticator, revocations: Revocations)?

    init(name: String, config: Config, loops: EventLoopGroup, log: Log) throws {
        self.name = name
        self.config = config
        self.loops = loops
        self.log = log
        metrics = MetricsRegistry(for: loops)
        metrics.add(ProcessMetrics())
        unknownMessages = UnknownMessages(metrics: metrics, log: log)
        guard let clients = Config.textOfFile(config[CommonSettings.clientsFile]) else {
            throw ConfigError("clients_file: cannot read \(config[CommonSettings.clientsFile])")
        }
        profiles = try ClientProfiles(json: Array(clients.utf8))
        pool = BlockingPool(threads: 4, limit: 1024)
        http = HTTPClient(on: loops)
        endings = [{ [pool] in pool.stop() }, { [http] in http.close() }]
    }

    // MARK: Parts

    /// The service's own database, its schema brought up to date.
    public func database(_ schema: String, migrations: [Migration]) async throws -> PostgresPool {
        let database = connections(to: schema, config[CommonSettings.databaseConnections])
        try await patiently { try await database.migrate(schema, migrations) }
        checks.append(ReadinessCheck("postgres") { _ = try await database.query(Self.ping) })
        return database
    }

    /// One more connection of each loop that uses it, for what the server is to take in the order in which it was sent.
    public func line(to schema: String) -> PostgresPool { connections(to: schema, 1) }

    private func connections(to schema: String, _ count: Int) -> PostgresPool {
        var configuration = PostgresConfiguration(config[CommonSettings.databaseURL].revealed)
        configuration.applicationName = name
        configuration.schema = schema
        configuration.connectionsPerLoop = count
        let connections = PostgresPool(configuration, on: loops, blocking: pool)
        endings.append { connections.close() }
        return connections
    }

    /// Tries again for half a minute while the database cannot be reached: it may be starting as well.
    private func patiently(_ work: () async throws -> Void) async throws {
        let end = EventLoop.preciseNow + 30 * 1_000_000_000
        var backoff = Backoff()
        while true {
            do {
                return try await work()
            } catch let error as PostgresError where error.kind == .unavailable && EventLoop.preciseNow < end {
                log.warning("the database cannot be reached yet", ["cause": .cause(error)])
                try await EventLoop.current?.sleep(for: backoff.next())
            }
        }
    }

    private static let ping = Statement("ping", "select 1")

    /// Redis for commands, a connection a loop.
    public func redis() throws -> Redis {
        if let known = knownRedis { return known }
        let redis = Redis(try redisConfiguration(), on: loops, resolvingOn: pool)
        endings.append { redis.close() }
        knownRedis = redis
        return redis
    }

    /// The outbox in `database` for facts of type `F`, relayed to their stream.
    public func outbox<F: Fact>(of _: F.Type, in database: PostgresPool, to redis: Redis) -> Outbox {
        let stream = RedisKey(F.stream)
        let signal = relayOutbox(of: database, to: redis, stream: stream, grace: .zero, retention: .day) { row in
            [row.appendingFact(to: stream)]
        }
        return Outbox(database: database, signal: signal, source: F.source)
    }

    /// Relays the rows of the outbox in `database` to `stream`.
    ///
    /// - Parameters:
    ///   - grace: how long the writer of a row has to publish it by itself.
    ///   - retention: how long a row and its entry are kept.
    ///   - commands: makes the commands that publish a row; the last one appends an entry to `stream`.
    /// - Returns: the signal that makes the relay look for rows at once.
    @discardableResult
    public func relayOutbox(
        of database: PostgresPool, to redis: Redis, stream: RedisKey, grace: Duration, retention: OutboxRetention,
        commands: @escaping @Sendable (OutboxRow) async throws -> [RedisCommand]
    ) -> WakeSignal {
        let signal = WakeSignal()
        // Redis may have lost entries while it was away.
        redis.observe { if $0.isConnected { signal.wake() } }
        let relay = OutboxRelay(
            database: database, redis: redis, stream: stream, commands: commands, grace: grace, retention: retention,
            signal: signal, log: log)
        background("outbox relay") {
            guard let loop = EventLoop.current else { return }
            try await relay.run(on: loop)
        }
        return signal
    }

    /// Redis for subscriptions, one connection.
    public func subscriber() throws -> MessageSubscriber {
        let subscriber = RedisSubscriber(try redisConfiguration(), on: loops, resolvingOn: pool)
        endings.append { subscriber.close() }
        return MessageSubscriber(subscriber, counting: unknownMessages)
    }

    private func redisConfiguration() throws(ConfigError) -> RedisConfiguration {
        guard var configuration = RedisConfiguration(url: config[CommonSettings.redisURL].revealed) else {
            throw ConfigError("redis_url must be redis://:password@host:port/number")
        }
        configuration.clientName = name
        return configuration
    }

    /// Consumes the facts of another service, from the first one that this service has not handled. `handler` may
    /// receive a fact more than once, and receives it again if it throws. A fact that cannot be read is counted and
    /// acknowledged, so that a newer release of the other service does not block this one.
    public func facts<F: Fact>(_ handler: @escaping @Sendable (F) async throws -> Void) throws {
        try stream(RedisKey(F.stream)) { [unknownMessages] entry in
            guard let entry = FactEntry<F>(entry, counting: unknownMessages) else { return }
            try await handler(entry.fact)
        }
    }

    /// Hears every entry of a stream as this service's group, at least once.
    public func stream(
        _ key: RedisKey, concurrency: Int = 1, _ handler: @escaping RedisStreamConsumer.Handler
    ) throws {
        var consumption = RedisConsumption(stream: key, group: name, consumer: instance)
        consumption.concurrency = concurrency
        let log = log
        let consumer = RedisStreamConsumer(
            consumption, of: try redisConfiguration(), on: loops[any: consumers.count], resolvingOn: pool,
            observer: { event in
                if case .failed(_, let error) = event {
                    log.error("an entry is handled again later", ["stream": .name(key.name), "cause": .cause(error)])
                }
            }, handler: handler)
        consumers.append(consumer)
    }

    /// Names this process among its like: in containers their hosts differ, on one host their ports. It is the same after a
    /// restart, so that what it was given before it died is found at once.
    private var instance: String {
        let port = config[CommonSettings.publicAddress].port
        // Where any port will do, a restart looks like another process.
        let place = port == 0 ? String(UInt64.random(in: .min ... .max), radix: 36) : String(port)
        return "\(name)-\(HostName.own)-\(place)"
    }

    /// The file store of the service, with the folders that its paths name.
    public func fileStore(folders: [String]) throws -> any FileStore {
        let store = try FolderFileStore(root: config[CommonSettings.filesFolder], folders: folders, pool: pool)
        files = store
        return store
    }

    // MARK: What the service does

    /// Adds routes that clients see.
    public func publicRoutes(_ add: (inout PublicRoutes) -> Void) { add(&routes) }

    /// Hands all public requests below `prefix` to `handler`: for what is not the contract's API, such as sockets.
    public func mount(_ prefix: StaticString, _ handler: @escaping Mount.Handler) {
        mounts.append(Mount(prefix: Array(String(describing: prefix).utf8), handler: handler))
    }

    /// Adds routes that other services see.
    public func internalRoutes(_ add: (inout InternalRoutes) -> Void) { add(&internalRoutes) }

    /// Runs `work` as long as the service runs; when it throws it is run again, after a pause that grows.
    public func background(_ name: StaticString, _ work: @escaping Work) {
        backgrounds.append(Background(name: name, work: work))
    }

    /// Is not ready while `check` throws.
    public func readiness(_ name: StaticString, _ check: @escaping Work) {
        checks.append(ReadinessCheck(name, check))
    }

    /// Runs `work` as soon as the service listens; it is told where other services call.
    public func atStart(_ work: @escaping @Sendable (_ internalAddress: SocketAddress) -> Void) {
        beginnings.append(work)
    }

    /// Runs `work` when the service stops, beside the calls that still run, and waits for it; before what is `atEnd`.
    public func atDrain(_ work: @escaping Work) { drains.append(work) }

    /// Runs `work` when the service stops, after its servers have; the last added first.
    public func atEnd(_ work: @escaping Work) { endings.append(work) }

    // MARK: Access

    /// Where tokens are verified and revocations known; auth-service's own word unless another authority is given before.
    public func access() throws -> (authenticator: Authenticator, revocations: Revocations) {
        if let known = knownAccess { return known }
        let authority = authority ?? AuthClient(internalClient(config[CommonSettings.authURL]))
        let revocations = Revocations(authority: authority, memory: profiles.longestTokenLifetime)
        let authenticator = Authenticator(authority: authority, revocations: revocations, on: loops)
        let subscriber = try subscriber()
        background("revocations") {
            guard let loop = EventLoop.current else { return }
            try await revocations.follow(subscriber, on: loop)
        }
        background("keys") { try await authenticator.followKeys() }
        readiness("keys") { try await authenticator.requireKeys() }
        knownAccess = (authenticator, revocations)
        return (authenticator, revocations)
    }

    /// Verifies tokens by the word of `authority`; for the service that issues them.
    public func verifyTokens(by authority: any TokenAuthority) { self.authority = authority }

    /// Where the services are for each other.
    public var peers: Peers {
        Peers(
            auth: config[CommonSettings.authURL], workspace: config[CommonSettings.workspaceURL],
            chat: config[CommonSettings.chatURL], payment: config[CommonSettings.paymentURL])
    }

    /// The internal addresses of the services that others ask.
    public struct Peers: Sendable {
        public let auth, workspace, chat, payment: String
    }

    /// What services show each other.
    public var credential: String { config[CommonSettings.credential].revealed }

    /// A client of another service's internal API, which has `deadline` for each call.
    public func internalClient(_ base: String, deadline: Duration = .seconds(3)) -> InternalClient {
        InternalClient(base, credential: credential, http: http, deadline: deadline)
    }
}

/// Work beside the calls.
struct Background: Sendable {
    let name: StaticString
    let work: ServiceBuilder.Work
}

/// Something without which a service cannot do its work.
struct ReadinessCheck: Sendable {
    let name: StaticString
    let run: ServiceBuilder.Work

    init(_ name: StaticString, _ run: @escaping ServiceBuilder.Work) {
        self.name = name
        self.run = run
    }
}
