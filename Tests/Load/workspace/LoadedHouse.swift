import EventLoop
import LoadClient
import ServiceSupport
import TestSupport

/// The built workspace-service under load, with 500 users who are each in 50 of the 1,000 channels of a workspace.
final class LoadedHouse: Sendable {
    static let users = 500
    static let workspace = 1_000_000
    /// The first of the channels, the default one.
    static let channel = 2_000_000
    static let channels = 1000
    static let channelsOfUser = 50

    let cluster: PostgresCluster
    let database: TestDatabase
    let auth: StubAuth
    let publicPort = FreePort.pick()
    let internalPort = FreePort.pick()
    private let redis: RedisServer
    private let process: ChildProcess
    private let folder = TemporaryFolder("load-workspace")

    /// What the service costs.
    var meter: ProcessMeter { ProcessMeter(pid: process.pid) }

    static func start(on loops: EventLoopGroup) async throws -> LoadedHouse {
        let cluster = try await PostgresCluster.start(["shared_buffers=256MB"])
        let database = try await cluster.makeDatabase()
        let house = try LoadedHouse(cluster, database, try await RedisServer.start(), StubAuth(on: loops))
        try await eventually(within: .seconds(30), "workspace-service") {
            guard house.process.isRunning else { throw NeverHappened(description: house.process.output) }
            return (try? await HTTPCall.get(port: house.internalPort, "/readyz").status) == 200
        }
        try await house.fill()
        return house
    }

    private init(
        _ cluster: PostgresCluster, _ database: TestDatabase, _ redis: RedisServer, _ auth: StubAuth
    ) throws {
        self.cluster = cluster
        self.database = database
        self.redis = redis
        self.auth = auth
        let settings = [
            "public_address": "127.0.0.1:\(publicPort)", "internal_address": "127.0.0.1:\(internalPort)",
            "clients_file": ServiceUnderTest.clients, "service_credential": ServiceUnderTest.credential,
            "database_url": database.connectionString, "redis_url": "redis://127.0.0.1:\(redis.port)/0",
            "auth_url": auth.url, "files_folder": folder.path, "log_level": "error", "user_rate": "1000000",
            "user_burst": "1000000",
        ]
        process = try ChildProcess.product(
            "workspace-service",
            environment: Dictionary(uniqueKeysWithValues: settings.map { ("MARU_" + $0.key.uppercased(), $0.value) }),
            log: folder.path + "/log")
    }

    private func fill() async throws {
        try await database.run(
            sql: """
                set search_path to workspace;
                begin;
                insert into workspace (id, name, name_key, description, image, owner, created_at)
                    overriding system value values (\(Self.workspace), 'load', 'load', '', '/static/workspaces/x.png', 1, 1);
                insert into channel (id, workspace, name, name_key, description, owner, is_default, created_at)
                    overriding system value
                    select \(Self.channel) + n, \(Self.workspace), 'channel ' || n, 'channel ' || n, 'what it is about', 1,
                        n = 0, 1700000000000 + n
                    from generate_series(0, \(Self.channels - 1)) n;
                insert into member select \(Self.workspace), u, 1 from generate_series(1, \(Self.users)) u;
                insert into channel_member
                    select \(Self.channel) + n, 1, \(Self.workspace), 1 from generate_series(0, \(Self.channels - 1)) n
                    on conflict do nothing;
                insert into channel_member
                    select \(Self.channel) + case when k = 0 then 0 else 1 + (u * 7 + k * 13) % \(Self.channels - 1) end,
                        u, \(Self.workspace), 1
                    from generate_series(2, \(Self.users)) u, generate_series(0, \(Self.channelsOfUser - 1)) k;
                commit
                """)
        try await database.run(sql: "vacuum analyze")
    }

    func stop() async {
        await process.stop()
        await redis.stop()
        await cluster.stop()
    }
}
