internal import ServiceSupport
public import TestSupport

/// A built service under load, with its own Postgres and Redis in production settings.
public final class LoadedService: Stoppable {
    public let cluster: PostgresCluster
    public let database: TestDatabase
    public let redis: RedisServer
    public let publicPort = FreePort.pick()
    public let internalPort = FreePort.pick()
    private let process: ChildProcess
    private let folder: TemporaryFolder

    /// Measures the service.
    public var meter: ProcessMeter { ProcessMeter(pid: process.pid) }

    /// Measures Redis.
    public var redisMeter: ProcessMeter { ProcessMeter(pid: redis.pid) }

    /// Starts it and waits until it is ready.
    ///
    /// - Parameters:
    ///   - postgres: settings of Postgres beside those of the product.
    ///   - settings: settings of the service. The rate limits are lifted by default, since one machine simulates many
    ///     users.
    ///   - readiness: the internal path that answers 200 when the service is ready for load.
    ///   - prepare: prepares the empty database before the service starts.
    public static func start(
        _ name: String, postgres: [String] = [], _ settings: [String: String],
        readiness: String = "/readyz", prepare: (TestDatabase) async throws -> Void = { _ in }
    ) async throws -> LoadedService {
        let cluster = try await PostgresCluster.start(ProductSettings.postgres() + postgres)
        let database = try await cluster.makeDatabase()
        try await prepare(database)
        let redis = try await RedisServer.start(ProductSettings.redis())
        let service = try LoadedService(name, database, redis, settings)
        try await eventually(within: .seconds(30), name) {
            guard service.process.isRunning else { throw NeverHappened(description: service.process.output) }
            return (try? await HTTPCall.get(port: service.internalPort, readiness).status) == 200
        }
        return service
    }

    private init(
        _ name: String, _ database: TestDatabase, _ redis: RedisServer, _ settings: [String: String]
    ) throws {
        cluster = database.cluster
        self.database = database
        self.redis = redis
        folder = TemporaryFolder("load-\(name)")
        let unlimited = "1000000"
        var all = [
            "public_address": "127.0.0.1:\(publicPort)", "internal_address": "127.0.0.1:\(internalPort)",
            "clients_file": ServiceUnderTest.clients, "service_credential": ServiceUnderTest.credential,
            "database_url": database.connectionString, "redis_url": "redis://127.0.0.1:\(redis.port)/0",
            "files_folder": folder.path + "/files", "log_level": "error", "user_rate": unlimited,
            "user_burst": unlimited, "address_rate": unlimited, "address_burst": unlimited,
        ]
        all.merge(settings) { _, given in given }
        process = try ChildProcess.service(name, all, log: folder.path + "/log")
    }

    public func stop() async {
        await process.stop()
        await redis.stop()
        await cluster.stop()
    }
}
