public import Contract
internal import EventLoop
internal import Glibc
public import Postgres
public import Redis
internal import Telemetry
internal import Wire

extension ServiceBuilder {
    /// The service's database, after its schema has been migrated. The composition root asks once and passes the pool to
    /// the stores.
    ///
    /// - Parameter distribution: divides the tables over several servers; nil for tables on one server. It holds for the other
    ///   pools of the service as well.
    public func database(
        _ schema: String, migrations: [Migration], dividing distribution: Distribution? = nil
    ) async throws -> PostgresPool {
        self.distribution = distribution
        let database = connections(to: schema, config[CommonSettings.databaseConnections])
        measured.pools.append(("shared", database))
        measured.schema = StoreMetrics.Schema(name: schema, migrations: migrations)
        try await retryWhileUnavailable { try await database.migrate(schema, migrations, dividing: distribution) }
        life.checks.append(ReadinessCheck("postgres") { _ = try await database.query(Self.ping) })
        return database
    }

    /// A pool of one connection per loop, for statements that the server must receive in the order they were sent.
    public func orderedPool(to schema: String) -> PostgresPool {
        let pool = connections(to: schema, 1)
        measured.pools.append(("ordered", pool))
        return pool
    }

    /// A pool for each node of the cluster that `database_url` names, for reads that a replica may answer. Empty if it names
    /// one host.
    public func databaseNodes(_ schema: String) -> [(host: String, pool: PostgresPool)] {
        configuration(of: schema, connections: 2).ofEachHost.map { ($0.host, makePool($0.configuration)) }
    }

    private func connections(to schema: String, _ count: Int) -> PostgresPool {
        makePool(configuration(of: schema, connections: count))
    }

    private func configuration(of schema: String, connections count: Int) -> PostgresConfiguration {
        var configuration = PostgresConfiguration(config[CommonSettings.databaseURL].revealed)
        configuration.applicationName = name
        configuration.schema = schema
        configuration.connectionsPerLoop = count
        configuration.beginsBatches = distribution != nil
        configuration.sessionSettings = distribution?.sessionSettings ?? [:]
        configuration.trace(by: tracer)
        configuration.deadline = config[CommonSettings.databaseTimeout]
        configuration.statementTimeout = configuration.deadline
        configuration.idleInTransactionTimeout = configuration.deadline * 3
        configuration.waitTimeout = configuration.deadline * 2 / 5
        configuration.connectTimeout = config[CommonSettings.databaseConnectTimeout]
        configuration.silenceLimit = config[CommonSettings.databaseSilence]
        return configuration
    }

    private func makePool(_ configuration: PostgresConfiguration) -> PostgresPool {
        let connections = PostgresPool(configuration, on: loops, blocking: pool)
        life.atEnd.append { connections.close() }
        return connections
    }

    /// Retries for half a minute while the database cannot be reached: it may still be starting, or recover from a crash.
    /// Does work of the start that needs the database, again while the server is out of reach, for up to half a minute. The work must
    /// bear that.
    @discardableResult
    public func retryWhileUnavailable<Value>(_ work: () async throws -> Value) async throws -> Value {
        let end = EventLoop.preciseNow + 30 * 1_000_000_000
        var backoff = Backoff()
        while true {
            do {
                return try await work()
            } catch let error as PostgresError where Self.mayPass(error) && EventLoop.preciseNow < end {
                log.warning("the database cannot be reached yet", ["cause": .cause(error)])
                try await loops.loops[0].sleep(for: backoff.next())
            }
        }
    }

    /// A server that starts refuses connections, and one that recovers ends them.
    private static func mayPass(_ error: PostgresError) -> Bool {
        error.kind == .unavailable || error.kind == .connectionLost
    }

    private static let ping = Statement.read("ping", "select 1")

    /// Redis for commands, with one connection per loop.
    public func redis() throws -> Redis {
        if let sharedRedis { return sharedRedis }
        let redis = Redis(try redisConfiguration(), on: loops, resolvingOn: pool)
        life.atEnd.append { redis.close() }
        sharedRedis = redis
        return redis
    }

    /// Redis for subscriptions, with one connection.
    public func subscriber() throws -> MessageSubscriber {
        let subscriber = RedisSubscriber(try redisConfiguration(), on: loops, resolvingOn: pool)
        life.atEnd.append { subscriber.close() }
        return MessageSubscriber(subscriber, counting: unknownMessages)
    }

    private func redisConfiguration() throws(ConfigError) -> RedisConfiguration {
        if let knownRedis { return knownRedis }
        guard var configuration = RedisConfiguration(url: config[CommonSettings.redisURL].revealed) else {
            throw ConfigError(
                "redis_url must be redis://:password@host:port/number or redis+cluster://:password@host:port,host:port")
        }
        configuration.clientName = name
        configuration.commandTimeout = config[CommonSettings.redisTimeout]
        configuration.trace(by: tracer)
        if !configuration.seeds.isEmpty {
            let report = RedisClusterReport(metrics, log: log)
            configuration.onClusterEvent = report.note
        }
        configuration.joinCluster(on: loops, resolvingOn: pool)
        if let cluster = configuration.cluster { life.atEnd.append { cluster.close() } }
        knownRedis = configuration
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

    /// Consumes every entry of a stream at least once, as this service's consumer group.
    public func stream(
        _ key: RedisKey, concurrency: Int = 1, _ handler: @escaping RedisStreamConsumer.Handler
    ) throws {
        var consumption = RedisConsumption(stream: key, group: name, consumer: instance)
        consumption.concurrency = concurrency
        measured.streams.append(key)
        let log = log
        let consumer = RedisStreamConsumer(
            consumption, of: try redisConfiguration(), on: loops[any: life.consumers.count], resolvingOn: pool,
            observer: { event in
                if case .failed(_, let error) = event {
                    log.error(
                        "a stream entry failed and will be retried",
                        ["stream": .name(key.name), "cause": .cause(error)])
                }
            }, handler: handler)
        life.consumers.append(consumer)
    }

    /// The consumer name of this process: containers differ in their host name, processes of one host in the port that
    /// they do not share. It survives a restart, so that entries assigned before a crash are found at once.
    private var instance: String {
        let port = (config[CommonSettings.instanceAddress] ?? config[CommonSettings.publicAddress]).port
        // A random port is different after each restart.
        let suffix = port == 0 ? String(UInt64.random(in: .min ... .max), radix: 36) : String(port)
        return "\(name)-\(HostName.own)-\(suffix)"
    }

    /// The file store of the service.
    ///
    /// - Parameter folders: the first parts of the stored names.
    public func fileStore(folders: [String]) throws -> any FileStore {
        let root = config[FileSettings.folder]
        let folder = try FolderFileStore(root: root, folders: folders, pool: pool)
        measured.filesFolder = root
        let store: any FileStore
        if config[FileSettings.bucket].isEmpty {
            // After a move back from a bucket, the copies would stay, even those of deleted files.
            try FileCache.empty(copiesFolder(root))
            store = folder
        } else {
            store = try bucketStore(root, folder)
        }
        files = store
        return store
    }

    /// Each service has its own folder, which it empties at its start.
    private func copiesFolder(_ root: String) -> String { "\(root)/.copies-\(name)" }

    private func bucketStore(_ root: String, _ folder: FolderFileStore) throws -> any FileStore {
        let bucket = try bucket(at: FileSettings.endpoint)
        let cache = try FileCache(folder: copiesFolder(root), limit: config[FileSettings.cacheSize].bytes, pool: pool)
        let http = provider("s3")
        let client = S3Client(bucket) { try await http.send($0, retrying: $1) }
        return S3FileStore(client, on: loops, folder: folder, cache: cache, direct: try directReads(of: bucket))
    }

    private func bucket(at endpoint: ConfigKey<String>) throws -> S3Bucket {
        try S3Bucket(
            endpoint: config[endpoint], setting: endpoint.name, name: config[FileSettings.bucket],
            prefix: config[FileSettings.prefix], region: config[FileSettings.region],
            accessKey: config[FileSettings.accessKey], secretKey: config[FileSettings.secretKey].revealed)
    }

    private func directReads(of bucket: S3Bucket) throws -> DirectReads? {
        let lifetime = config[FileSettings.directReads]
        guard lifetime > .zero else { return nil }
        guard lifetime >= .seconds(1), lifetime <= DirectReads.longest else {
            throw ConfigError("s3_direct_reads: at least 1s and at most 7d")
        }
        let isPublic = !config[FileSettings.publicEndpoint].isEmpty
        return DirectReads(
            bucket: isPublic ? try self.bucket(at: FileSettings.publicEndpoint) : bucket, lifetime: lifetime)
    }

    /// Makes previews of pictures, by the program beside that of the service.
    public func picturePreviews(within limits: PreviewLimits) -> PicturePreviews {
        let previews = PicturePreviews(within: limits, metrics: metrics, log: log)
        if let pool = previews.pool { life.atEnd.append { pool.stop() } }
        return previews
    }
}
