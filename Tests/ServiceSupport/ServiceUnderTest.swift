public import EventLoop
internal import Redis
public import ServiceKit
internal import Synchronization
public import Telemetry
public import TestSupport

/// A service in the process of its tests, with its own ports, database and Redis.
public final class ServiceUnderTest: Stoppable {
    public let running: RunningService
    public let loops: EventLoopGroup
    public let database: TestDatabase
    public let redis: RedisServer
    /// The folder of its files.
    public let files: TemporaryFolder

    /// The service credential of all tests.
    public static let credential = "0123456789abcdef0123456789abcdef"
    /// The operator's credential of all tests.
    public static let operatorCredential = "operator-0123456789abcdef0123456789abcdef"

    /// The time limit of a call to the database. A test may hold a lock until a busy machine has done other work.
    public static let databaseTimeout = Duration.seconds(10).patiently

    /// Settings of time limits that a machine that stands still for a while does not reach. A call that is repeated after one would
    /// be one more in the counts of tests.
    static let limits = [
        ("database_timeout", databaseTimeout), ("database_connect_timeout", .seconds(5).patiently),
        ("database_silence", .seconds(5).patiently), ("redis_timeout", .seconds(5).patiently),
        ("internal_timeout", .seconds(6).patiently), ("connect_timeout", .seconds(6).patiently),
    ].reduce(into: [:]) { $0[$1.0] = $1.1.setting }

    /// Longer limits, for harnesses with tests that wait for the end of none. Half of the time of an internal call, after which it is
    /// sent again, and two fifths of that of the database, the longest wait for a connection, are longer than a standstill as well.
    public static let longLimits = [
        "database_timeout", "database_connect_timeout", "internal_timeout", "connect_timeout",
    ].reduce(into: [String: String]()) { $0[$1] = Duration.seconds(30).patiently.setting }

    /// Starts the service that `assemble` builds, and returns when it is connected to Redis on all loops.
    ///
    /// - Parameters:
    ///   - entries: the service's own settings.
    ///   - settings: the settings that differ from the defaults.
    ///   - database: a database to share with another instance; nil for a new one.
    ///   - log: the log; nil for errors only, to standard error.
    public init(
        _ name: String, _ entries: [ConfigEntry], _ settings: [String: String] = [:], database: TestDatabase? = nil,
        redis: RedisServer? = nil, log: Log? = nil, assemble: @escaping Service.Assembly
    ) async throws {
        if let database {
            self.database = database
        } else {
            self.database = try await PostgresCluster.ofThisProcess().makeDatabase()
        }
        if let redis { self.redis = redis } else { self.redis = try await RedisServer.start() }
        files = TemporaryFolder("maru-files")
        loops = EventLoopGroup(count: 2)
        var all = [
            "public_address": "127.0.0.1:0", "internal_address": "127.0.0.1:0", "clients_file": Self.clients,
            "service_credential": Self.credential, "operator_credential": Self.operatorCredential,
            "database_url": self.database.connectionString,
            "redis_url": "redis://127.0.0.1:\(self.redis.port)/0", "files_folder": files.path,
            // Clients of tests keep idle connections.
            "drain_idle": "0s",
        ]
        all.merge(Self.limits) { _, limit in limit }
        all.merge(settings) { _, own in own }
        let config = try Config(
            Service.settings(of: name, entries), file: all.map { "\($0) = \($1)" }.joined(separator: "\n"))
        let parts = Parts()
        running = try await Service.start(
            name, config, on: loops, log: log ?? Log(service: name, level: .error, to: LogOutput(descriptor: 2))
        ) { service in
            try await assemble(service)
            let redis = try service.redis()
            parts.redis.withLock { $0 = redis }
        }
        guard let connections = parts.redis.withLock(\.self) else { return }
        for loop in loops.loops { try await loop.run { try await connections.connected(within: .seconds(60)) } }
    }

    /// Keeps a part of the service from its assembly.
    private final class Parts: Sendable {
        let redis = Mutex<Redis?>(nil)
    }

    /// The file of the development keys.
    public static let clients: String = {
        let here = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        return "/\(here)/deploy/clients.json"
    }()

    /// Makes a call of a client: with an API key and, if signed in, a token.
    public func call(
        _ method: String, _ target: String, key: String? = "native", token: String? = nil,
        headers: [(String, String)] = [], body: [UInt8] = []
    ) async throws -> HTTPCall.Reply {
        var all = headers
        if let key { all.append(("SesacKey", key)) }
        if let token { all.append(("Authorization", token)) }
        return try await HTTPCall(
            method, port: running.publicAddress.port, target, headers: all, body: body
        ).reply()
    }

    /// Makes a call of a client with a JSON body.
    public func call(
        _ method: String, _ target: String, key: String? = "native", token: String? = nil, json: String
    ) async throws -> HTTPCall.Reply {
        try await call(
            method, target, key: key, token: token, headers: [("Content-Type", "application/json")],
            body: Array(json.utf8))
    }

    /// Makes a call of another service.
    public func internalCall(_ method: String, _ target: String, json: String = "") async throws -> HTTPCall.Reply {
        try await HTTPCall(
            method, port: running.internalAddress.port, target,
            headers: [("Authorization", "Bearer " + Self.credential), ("Content-Type", "application/json")],
            body: Array(json.utf8)
        ).reply()
    }

    /// Makes a call of an operator.
    ///
    /// - Parameters:
    ///   - name: the operator; nil for a call that names none.
    ///   - credential: another one than the operator's.
    public func operatorCall(
        _ method: String, _ target: String, as name: String? = "anna", credential: String = operatorCredential,
        json: String = ""
    ) async throws -> HTTPCall.Reply {
        var headers = [("Authorization", "Bearer " + credential), ("Content-Type", "application/json")]
        if let name { headers.append(("X-Operator", name)) }
        return try await HTTPCall(
            method, port: running.internalAddress.port, target, headers: headers, body: Array(json.utf8)
        ).reply()
    }

    /// A probe for the refusals of the service.
    ///
    /// - Parameter tokens: the issuer that the service trusts.
    public func refusalProbe(tokens: TokenIssuer) -> RefusalProbe {
        RefusalProbe(
            publicPort: running.publicAddress.port, internalPort: running.internalAddress.port, tokens: tokens)
    }

    public func stop() async {
        await running.stop()
        loops.stop()
    }
}
