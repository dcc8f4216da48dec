import Glibc
import Synchronization

/// A private PostgreSQL 15 server for tests, on a free port of the loopback address and a Unix socket.
///
///     let cluster = try await PostgresCluster.ofThisProcess()
///     let database = try await cluster.makeDatabase()         // an empty database for this test
///     PostgresConfiguration(database.connectionString)
///
/// Tests that stop or kill the server start their own with `PostgresCluster.start()`.
public final class PostgresCluster: Sendable {
    public let port: UInt16
    private let folder: TemporaryFolder
    private let options: [String]
    private let server = Mutex<ChildProcess?>(nil)

    private static let programs = "/usr/lib/postgresql/15/bin/"
    private static let once = Once<PostgresCluster>()

    /// The cluster that is shared by tests that do not stop it.
    public static func ofThisProcess() async throws -> PostgresCluster {
        try await once.value { try await start() }
    }

    /// Makes a cluster and starts it.
    ///
    /// - Parameter options: settings such as `max_connections=20`. By default `fsync` is off: a crash of the machine
    ///   could lose data, a crash of the server cannot.
    public static func start(_ options: [String] = []) async throws -> PostgresCluster {
        let cluster = PostgresCluster(options)
        try await cluster.initialize()
        try await cluster.start()
        return cluster
    }

    private init(_ options: [String]) {
        port = FreePort.pick()
        folder = TemporaryFolder("maru-postgres", ownedBy: geteuid() == 0 ? "postgres" : nil)
        self.options = options
    }

    /// The folder of the Unix socket.
    public var socketFolder: String { folder.path }
    /// The path of the server's log.
    public var log: String { folder.path + "/log" }
    /// The connection string of the superuser for the `postgres` database.
    public var connectionString: String { connectionString(database: "postgres") }

    public func connectionString(database: String, user: String = "postgres", overSocket: Bool = false) -> String {
        overSocket
            ? "host=\(folder.path) port=\(port) user=\(user) dbname=\(database)"
            : "postgres://\(user)@127.0.0.1:\(port)/\(database)"
    }

    /// Makes an empty database with a unique name.
    ///
    /// - Parameter options: options of `create database`, such as a locale.
    public func makeDatabase(_ options: String = "") async throws -> TestDatabase {
        let name = "test_\(UInt32.random(in: 0 ... .max))"
        try await run(sql: "create database \(name) \(options)")
        if Self.hasCitus { try await run(sql: "create extension citus", database: name) }
        return TestDatabase(cluster: self, name: name)
    }

    /// Whether databases of tests have the extension Citus: `deploy/test citus`.
    public static let hasCitus = getenv("MARU_TEST_CITUS") != nil

    /// Adds Citus to settings. Each database is a cluster of one server, and many of them share the processes that tend them.
    private static func withCitus(_ options: [String]) -> [String] {
        let libraries = "shared_preload_libraries="
        let others = options.filter { $0.hasPrefix(libraries) }.map { "," + $0.dropFirst(libraries.count) }
        return options.filter { !$0.hasPrefix(libraries) } + [
            libraries + "citus" + others.joined(), "citus.shard_count=4", "citus.node_conninfo=sslmode=disable",
            "citus.distributed_deadlock_detection_factor=-1", "citus.recover_2pc_interval=-1",
            "citus.enable_statistics_collection=off", "max_prepared_transactions=100", "max_worker_processes=32",
            // Some of the databases have no process that tends them, which it warns of.
            "client_min_messages=error",
        ]
    }

    /// Runs SQL as the superuser through `psql`, and returns its output.
    @discardableResult
    public func run(sql: String, database: String = "postgres") async throws -> String {
        let arguments = [
            "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", sql, connectionString(database: database),
        ]
        let process = try ChildProcess(
            "/usr/bin/psql", arguments, log: folder.path + "/psql-\(UInt64.random(in: 0 ... .max))")
        guard await process.wait() == 0 else { throw NeverHappened(description: "psql: \(process.output)") }
        defer { unlink(process.log) }
        return process.output
    }

    // MARK: Replicas

    /// Starts a streaming replica of this server, and waits until it accepts connections.
    public func startReplica() async throws -> PostgresCluster {
        let replica = PostgresCluster(options)
        let source = connectionString(database: "postgres")
        let process = try replica.program(
            "pg_basebackup", ["-D", replica.data, "-d", source, "-R", "-X", "stream", "-c", "fast", "-N"])
        guard await process.wait() == 0 else { throw NeverHappened(description: "pg_basebackup: \(process.output)") }
        try await replica.start()
        return replica
    }

    /// Makes a replica writable; it then follows no other server.
    public func promote() async throws {
        let process = try program("pg_ctl", ["promote", "-D", data, "-w"])
        guard await process.wait() == 0 else { throw NeverHappened(description: "pg_ctl: \(process.output)") }
    }

    /// Pauses or resumes the server with all its sessions: `SIGSTOP`, `SIGCONT`.
    public func signalAll(_ signal: Int32) {
        guard let postmaster = process?.pid else { return }
        self.signal(signal)
        for (pid, times) in ProcessTimes.all() where times.parent == postmaster { Glibc.kill(pid, signal) }
    }

    // MARK: Starting and stopping

    private func initialize() async throws {
        let arguments = ["-D", data, "-A", "trust", "-U", "postgres", "--no-locale", "-E", "UTF8", "--no-sync"]
        let process = try program("initdb", arguments)
        guard await process.wait() == 0 else { throw NeverHappened(description: "initdb: \(process.output)") }
    }

    /// Starts the server after `stop` or `kill`, and waits until it accepts connections.
    public func start() async throws {
        var settings = [
            "listen_addresses=127.0.0.1", "port=\(port)", "unix_socket_directories=\(folder.path)", "fsync=off",
            "shared_buffers=32MB", "max_connections=500", "log_min_messages=fatal", "max_prepared_transactions=0",
        ]
        settings += Self.hasCitus ? Self.withCitus(options) : options
        let process = try program("postgres", ["-D", data] + settings.flatMap { ["-c", $0] })
        server.withLock { $0 = process }
        try await eventually("a start of Postgres") {
            guard process.isRunning else { throw NeverHappened(description: "Postgres: \(process.output)") }
            return await self.isReady()
        }
    }

    private func isReady() async -> Bool {
        guard
            let process = try? ChildProcess(
                Self.programs + "pg_isready", ["-q", "-h", folder.path, "-p", "\(port)"], log: "/dev/null")
        else { return false }
        return await process.wait() == 0
    }

    /// Ends all sessions and shuts the server down cleanly.
    public func stop() async { await process?.stop(SIGINT) }

    /// Kills the postmaster as a crash would. Its sessions end themselves, and until then they answer: waits for the last one.
    public func kill() async {
        guard let process else { return }
        let sessions = ProcessTimes.all().filter { $0.value.parent == process.pid }.keys
        await process.stop(SIGKILL)
        try? await eventually("an end of the sessions") { !sessions.contains { Glibc.kill($0, 0) == 0 } }
    }

    public func restart() async throws {
        await stop()
        try await start()
    }

    /// Pauses or resumes the whole server: `SIGSTOP`, `SIGCONT`.
    public func signal(_ signal: Int32) { process?.signal(signal) }

    /// Seconds of processor time that the server has used, ended sessions included.
    public var processorTime: Double {
        guard let postmaster = process?.pid else { return 0 }
        let all = ProcessTimes.all()
        let ofEnded = all[postmaster].map { $0.own + $0.ofEndedChildren } ?? 0
        let ofSessions = all.values.filter { $0.parent == postmaster }.reduce(0) { $0 + $1.own }
        return ofEnded + ofSessions
    }

    private var process: ChildProcess? { server.withLock(\.self) }

    private var data: String { folder.path + "/data" }

    /// Starts one of Postgres's programs: as root it runs as the user postgres, because the server refuses to run as root.
    private func program(_ name: String, _ arguments: [String]) throws -> ChildProcess {
        let path = Self.programs + name
        if geteuid() != 0 { return try ChildProcess(path, arguments, log: log, atEnd: "QUIT") }
        let asPostgres = ["--reuid=postgres", "--regid=postgres", "--clear-groups", path]
        return try ChildProcess("/usr/bin/setpriv", asPostgres + arguments, log: log, atEnd: "QUIT")
    }
}
