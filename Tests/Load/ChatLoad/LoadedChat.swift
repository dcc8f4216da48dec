import LoadClient
import TestSupport

/// The built chat-service under load, on a Postgres and a Redis that write to disk as in production.
final class LoadedChat: Sendable {
    let cluster: PostgresCluster
    let database: TestDatabase
    let redis: RedisServer
    let peers: PeerStandin
    let port = FreePort.pick()
    private let process: ChildProcess
    private let folder = TemporaryFolder("load-chat")

    /// What the service costs.
    var meter: ProcessMeter { ProcessMeter(pid: process.pid) }

    /// What Redis costs.
    var redisMeter: ProcessMeter { ProcessMeter(pid: redis.pid) }

    static func start() async throws -> LoadedChat {
        let cluster = try await PostgresCluster.start([
            "fsync=on", "shared_buffers=256MB", "checkpoint_timeout=30min", "min_wal_size=2GB", "max_wal_size=8GB",
        ])
        let database = try await cluster.makeDatabase()
        // A server that has run for a while writes over old segments of its log, which takes less than making new ones.
        try await database.run(
            sql: """
                do $$ begin for segment in 1..100 loop
                perform pg_logical_emit_message(false, '', 'full');
                perform pg_switch_wal();
                end loop; end $$;
                checkpoint;
                """)
        let redis = try await RedisServer.start(["--appendonly", "yes", "--appendfsync", "everysec"])
        let chat = try LoadedChat(cluster, database, redis, try PeerStandin())
        try await eventually(within: .seconds(30), "chat-service") {
            guard chat.process.isRunning else { throw NeverHappened(description: chat.process.output) }
            return (try? await HTTPCall.get(port: chat.port, "/v1/none").status) == 400
        }
        return chat
    }

    private init(
        _ cluster: PostgresCluster, _ database: TestDatabase, _ redis: RedisServer, _ peers: PeerStandin
    ) throws {
        self.cluster = cluster
        self.database = database
        self.redis = redis
        self.peers = peers
        let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        let settings = [
            "public_address": "127.0.0.1:\(port)", "internal_address": "127.0.0.1:\(FreePort.pick())",
            "clients_file": "/\(root)/deploy/clients.json", "service_credential": "0123456789abcdef0123456789abcdef",
            "database_url": database.connectionString, "redis_url": "redis://127.0.0.1:\(redis.port)/0",
            "auth_url": peers.url, "workspace_url": peers.url, "files_folder": folder.path + "/files",
            "user_rate": "1000000", "user_burst": "1000000", "address_rate": "1000000", "address_burst": "1000000",
            "log_level": "error",
        ]
        process = try ChildProcess.product(
            "chat-service",
            environment: Dictionary(uniqueKeysWithValues: settings.map { ("MARU_" + $0.key.uppercased(), $0.value) }),
            log: folder.path + "/log")
    }

    /// Commits of messages so far.
    func batches() async throws -> Int {
        let text = try await database.run(sql: "select count(*) from chat.outbox")
        return text.split(separator: "\n").first.flatMap { Int($0) } ?? 0
    }

    func stop() async {
        await process.stop()
        await redis.stop()
        await cluster.stop()
        await peers.stop()
    }
}
