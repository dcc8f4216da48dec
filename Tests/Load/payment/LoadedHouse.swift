import LoadClient
import TestSupport

/// The built payment-service under load, on a Postgres and a Redis that write to disk as in production.
final class LoadedHouse: Sendable {
    let cluster: PostgresCluster
    let database: TestDatabase
    let port = FreePort.pick()
    private let redis: RedisServer
    private let process: ChildProcess
    private let folder = TemporaryFolder("load-payment")

    static let credential = "0123456789abcdef0123456789abcdef"

    /// What the service costs.
    var meter: ProcessMeter { ProcessMeter(pid: process.pid) }

    /// What Postgres costs.
    var databaseMeter: ProcessMeter {
        get throws {
            let file = try String(contentsOfFile: cluster.socketFolder + "/data/postmaster.pid")
            guard let pid = file.split(separator: "\n").first.flatMap({ Int32($0) }) else {
                throw NeverHappened(description: "a Postgres")
            }
            return ProcessMeter(pid: pid)
        }
    }

    static func start() async throws -> LoadedHouse {
        let cluster = try await PostgresCluster.start([
            "fsync=on", "shared_buffers=256MB", "checkpoint_timeout=30min", "max_wal_size=8GB",
        ])
        let database = try await cluster.makeDatabase()
        let redis = try await RedisServer.start(["--appendonly", "yes", "--appendfsync", "everysec"])
        let house = try LoadedHouse(cluster, database, redis)
        try await eventually(within: .seconds(30), "payment-service") {
            guard house.process.isRunning else { throw NeverHappened(description: house.process.output) }
            return (try? await HTTPCall.get(port: house.port, "/healthz").status) == 200
        }
        return house
    }

    private init(_ cluster: PostgresCluster, _ database: TestDatabase, _ redis: RedisServer) throws {
        self.cluster = cluster
        self.database = database
        self.redis = redis
        let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        let settings = [
            "public_address": "127.0.0.1:\(FreePort.pick())", "internal_address": "127.0.0.1:\(port)",
            "clients_file": "/\(root)/deploy/clients.json", "service_credential": Self.credential,
            "database_url": database.connectionString, "redis_url": "redis://127.0.0.1:\(redis.port)/0",
            "auth_url": "http://127.0.0.1:1", "log_level": "error",
        ]
        process = try ChildProcess.product(
            "payment-service",
            environment: Dictionary(uniqueKeysWithValues: settings.map { ("MARU_" + $0.key.uppercased(), $0.value) }),
            log: folder.path + "/log")
    }

    /// Opens the accounts of users from 1 on, each with a fortune.
    func open(_ users: Int) async throws {
        try await database.run(
            sql: """
                do $$
                declare
                    made bigint;
                begin
                    for one in 1..\(users) loop
                        insert into payment.account (user_id) values (one);
                        insert into payment.transaction (user_id, kind, subject) values (one, 'grant', one::text)
                            returning id into made;
                        insert into payment.entry (transaction_id, user_id, book, amount)
                            values (made, one, 'wallet', 1000000000), (made, one, 'grants', -1000000000);
                    end loop;
                end $$;
                analyze
                """)
    }

    func stop() async {
        await process.stop()
        await redis.stop()
        await cluster.stop()
    }
}
