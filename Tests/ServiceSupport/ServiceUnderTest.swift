public import EventLoop
internal import Redis
public import ServiceKit
internal import Synchronization
public import Telemetry
public import TestSupport

/// A service in the process of its tests, on ports of its own, with a database and a Redis of its own.
public final class ServiceUnderTest: Stoppable {
    public let running: RunningService
    public let loops: EventLoopGroup
    public let database: TestDatabase
    public let redis: RedisServer
    /// Where its files are.
    public let files: TemporaryFolder

    /// What services show each other in tests.
    public static let credential = "0123456789abcdef0123456789abcdef"

    /// Starts the service that `assemble` puts together, and returns when it has Redis on all loops.
    ///
    /// - Parameters:
    ///   - entries: the service's own settings.
    ///   - settings: what is set otherwise than by default.
    ///   - database: to share one with another instance; one of its own when nil.
    ///   - log: where it logs; errors only, to standard error, when nil.
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
            "service_credential": Self.credential, "database_url": self.database.connectionString,
            "redis_url": "redis://127.0.0.1:\(self.redis.port)/0", "files_folder": files.path,
        ]
        all.merge(settings) { _, given in given }
        let config = try Config(
            Service.settings(of: name, entries), file: all.map { "\($0) = \($1)" }.joined(separator: "\n"))
        let known = Known()
        running = try await Service.start(
            name, config, on: loops, log: log ?? Log(service: name, level: .error, to: LogOutput(descriptor: 2))
        ) { service in
            try await assemble(service)
            let redis = try service.redis()
            known.redis.withLock { $0 = redis }
        }
        guard let connections = known.redis.withLock(\.self) else { return }
        for loop in loops.loops { try await loop.run { try await connections.connected(within: .seconds(60)) } }
    }

    /// What the service was given while it was put together.
    private final class Known: Sendable {
        let redis = Mutex<Redis?>(nil)
    }

    /// The development keys.
    public static let clients: String = {
        let here = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        return "/\(here)/deploy/clients.json"
    }()

    /// A call as a client makes it: with an API key and, signed in, a token.
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

    /// The same with a JSON body.
    public func call(
        _ method: String, _ target: String, key: String? = "native", token: String? = nil, json: String
    ) async throws -> HTTPCall.Reply {
        try await call(
            method, target, key: key, token: token, headers: [("Content-Type", "application/json")],
            body: Array(json.utf8))
    }

    /// A call as another service makes it.
    public func internalCall(_ method: String, _ target: String, json: String = "") async throws -> HTTPCall.Reply {
        try await HTTPCall(
            method, port: running.internalAddress.port, target,
            headers: [("Authorization", "Bearer " + Self.credential), ("Content-Type", "application/json")],
            body: Array(json.utf8)
        ).reply()
    }

    /// What it says to those who may not come in.
    ///
    /// - Parameter tokens: of the issuer whom it trusts.
    public func doors(tokens: TokenIssuer) -> ServiceDoors {
        ServiceDoors(
            publicPort: running.publicAddress.port, internalPort: running.internalAddress.port, tokens: tokens)
    }

    public func stop() async {
        await running.stop()
        loops.stop()
    }
}
