import ServiceSupport
import TestSupport
import Wire

/// The built workspace-service and payment-service as processes.
final class CoinHarness: Stoppable {
    let peers: StubPeers
    let database: TestDatabase
    let redis: RedisServer
    let payment: BuiltService
    private let files = TemporaryFolder("maru-coins")

    private init(reserveLifetime: String) async throws {
        peers = try StubPeers()
        database = try await PostgresCluster.ofThisProcess().makeDatabase()
        redis = try await RedisServer.start(isDurable: true)
        payment = try await BuiltService(
            "payment-service", database: database, redis: redis, auth: peers.url, in: files,
            ["reserve_lifetime": reserveLifetime, "sweep_interval": "50ms"])
    }

    /// Runs `body` against new services.
    ///
    /// - Parameter reserveLifetime: when coins return that were neither captured nor released.
    static func use(reserveLifetime: String = "1s", _ body: (CoinHarness) async throws -> Void) async throws {
        try await CoinHarness(reserveLifetime: reserveLifetime).lent(to: body)
    }

    func stop() async {
        await payment.stop()
        await peers.stop()
        await redis.stop()
    }

    /// Starts an instance of workspace-service.
    func start() async throws -> BuiltService {
        try await BuiltService(
            "workspace-service", database: database, redis: redis, auth: peers.url, in: files,
            ["payment_url": "http://127.0.0.1:\(payment.internalPort)"])
    }

    /// Creates a workspace; returns nil if the service is killed before its reply.
    func create(_ name: String = "work", on service: BuiltService) async -> HTTPCall.Reply? {
        try? await HTTPCall(
            "POST", port: service.publicPort, "/v1/workspaces",
            headers: [
                ("SesacKey", "native"), ("Authorization", peers.tokens.token(user: 1, key: "native")), Form.type,
            ],
            body: Form(["name": name], image: .png).body
        ).reply()
    }

    /// Sends the request to create a workspace, and leaves its reply alone.
    func beginCreation(on service: BuiltService) throws -> RawConnection {
        let body = Form(["name": "work"], image: .png).body
        let head = [
            "POST /v1/workspaces HTTP/1.1", "Host: 127.0.0.1", "SesacKey: native",
            "Authorization: " + peers.tokens.token(user: 1, key: "native"), "\(Form.type.0): \(Form.type.1)",
            "Content-Length: \(body.count)",
        ]
        let connection = try RawConnection(port: service.publicPort)
        try connection.send(Array((head.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body)
        return connection
    }

    func balance() async throws -> Int {
        let reply = try await HTTPCall(
            "POST", port: payment.internalPort, "/internal/balances",
            headers: [("Authorization", "Bearer " + ServiceUnderTest.credential)],
            body: Array(#"{"ids":["1"]}"#.utf8)
        ).reply()
        guard let balance = try reply.json["balances"]?[0]?["balance"]?.int else {
            throw NeverHappened(description: "a balance: \(reply.text)")
        }
        return balance
    }

    /// The result of a query, with columns separated by `|` and rows by newlines.
    func sql(_ sql: String) async throws -> String {
        let output = try await database.run(sql: sql)
        return output.hasSuffix("\n") ? String(output.dropLast()) : output
    }

    var workspaces: String {
        get async throws { try await sql("select count(*) from workspace.workspace where slug is null") }
    }

    /// Holds a lock on a table while `body` runs.
    func locking(_ table: String, in mode: String, _ body: () async throws -> Void) async throws {
        let holder = try ChildProcess(
            "/usr/bin/psql",
            [
                "-X", "-q", "-c",
                "set application_name to holder; begin; lock table \(table) in \(mode) mode; select pg_sleep(6000)",
                database.connectionString,
            ], log: "/dev/null")
        try await eventually("the lock") {
            try await self.sql(
                "select count(*) from pg_locks where granted and relation = '\(table)'::regclass and mode = '\(mode.lockName)'"
            ) != "0"
        }
        try await body()
        _ = try await sql(
            "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'holder' "
                + "and datname = current_database()")
        await holder.wait()
    }

    /// Returns when a database session waits for a lock.
    func untilBlocked() async throws { try await database.untilBlocked() }
}

extension String {
    /// A lock mode in the spelling of `pg_locks`.
    fileprivate var lockName: String {
        split(separator: " ").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined() + "Lock"
    }
}
