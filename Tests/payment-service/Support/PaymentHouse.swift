import ServiceSupport
import Synchronization
import TestSupport
import Wire

@testable import payment_service

/// The built service, in one or more instances, on real Postgres and Redis, with a stub world around it.
final class PaymentHouse: Stoppable {
    let database: TestDatabase
    let redis: RedisServer
    let world: StubWorld
    private let folder = TemporaryFolder("maru-payment")
    private let settings: [String: String]
    private let running: Mutex<[BuiltService]>
    private let logs = Mutex<[String]>([])

    private init(instances: Int, _ settings: [String: String]) async throws {
        database = try await PostgresCluster.ofThisProcess().makeDatabase()
        redis = try await RedisServer.start()
        world = try StubWorld()
        self.settings = settings
        running = Mutex([])
        for _ in 0..<instances { _ = try await start() }
    }

    /// Runs `body` against a house of its own.
    static func use(
        instances: Int = 1, _ settings: [String: String] = [:], _ body: (PaymentHouse) async throws -> Void
    ) async throws {
        try await PaymentHouse(instances: instances, settings).lent(to: body)
    }

    // MARK: Life and death

    func start() async throws -> BuiltService {
        var all = [
            "address_rate": "100000", "address_burst": "100000", "portone_v1_url": world.url, "portone_v1_key": "key",
            "portone_v1_secret": "secret", "portone_v2_url": world.url + "/v2", "portone_v2_secret": "v2secret",
            "portone_v2_webhook_secret": StandardWebhooksTests.secret, "sweep_interval": "50ms",
        ]
        all.merge(settings) { _, given in given }
        let started = try await BuiltService(
            "payment-service", database: database, redis: redis, auth: world.url, in: folder, all)
        logs.withLock { $0.append(started.process.log) }
        running.withLock { $0.append(started) }
        return started
    }

    /// Kills an instance as the kernel would, and starts another in its place.
    func replace(_ index: Int) async throws {
        let old = running.withLock { $0.remove(at: index % $0.count) }
        await old.kill()
        _ = try await start()
    }

    func stop() async {
        for instance in running.withLock(\.self) { await instance.stop() }
        await world.stop()
        await redis.stop()
    }

    /// What all instances have logged.
    var log: String { logs.withLock(\.self).map { (try? String(contentsOfFile: $0)) ?? "" }.joined() }

    /// Lines of the log about statements that the database refused: its guards are the last line, never the way.
    var refusedStatements: [String] {
        log.split(separator: "\n").filter { $0.contains("postgres server") }.map(String.init)
    }

    /// One of the instances.
    var someone: BuiltService { running.withLock { $0[Int.random(in: 0..<$0.count)] } }

    // MARK: Calls

    var doors: ServiceDoors {
        let someone = someone
        return ServiceDoors(
            publicPort: someone.publicPort, internalPort: someone.internalPort, tokens: world.tokens)
    }

    /// A call of a client who has signed in.
    func call(
        _ method: String, _ path: String, user: Int64? = 7, key: String? = "sooda", json: String = ""
    ) async throws -> HTTPCall.Reply {
        var headers = [("Content-Type", "application/json")]
        if let key { headers.append(("SesacKey", key)) }
        if let user { headers.append(("Authorization", world.tokens.token(user: user, key: key ?? "sooda"))) }
        return try await HTTPCall(
            method, port: someone.publicPort, path, headers: headers, body: Array(json.utf8)
        ).reply()
    }

    func validate(
        _ reference: String, _ order: String, user: Int64 = 7, key: String = "sooda"
    ) async throws -> HTTPCall.Reply {
        let json = #"{"imp_uid":"\#(reference)","merchant_uid":"\#(order)"}"#
        return try await call("POST", "/v1/store/pay/validation", user: user, key: key, json: json)
    }

    /// A call of another service.
    func ask(_ method: String, _ path: String, json: String = "") async throws -> HTTPCall.Reply {
        try await HTTPCall(
            method, port: someone.internalPort, path,
            headers: [
                ("Authorization", "Bearer " + ServiceUnderTest.credential), ("Content-Type", "application/json"),
            ],
            body: Array(json.utf8)
        ).reply()
    }

    func balance(_ user: Int64) async throws -> Int {
        let reply = try await ask("POST", "/internal/balances", json: #"{"ids":["\#(user)"]}"#)
        guard let balance = try JSONValue(parsing: reply.body)["balances"]?[0]?["balance"]?.int else {
            throw NeverHappened(description: "a balance: \(reply.status) \(reply.text)")
        }
        return balance
    }

    func reserve(_ key: String, user: Int64, amount: Int) async throws -> HTTPCall.Reply {
        let json = #"{"key":"\#(key)","user_id":"\#(user)","amount":\#(amount),"reason":"test"}"#
        return try await ask("POST", "/internal/reserves", json: json)
    }

    func capture(_ key: String, user: Int64, amount: Int) async throws -> HTTPCall.Reply {
        let json = #"{"user_id":"\#(user)","amount":\#(amount),"reason":"test"}"#
        return try await ask("POST", "/internal/reserves/\(key)/capture", json: json)
    }

    func release(_ key: String) async throws -> HTTPCall.Reply {
        try await ask("POST", "/internal/reserves/\(key)/release")
    }

    /// A webhook of PortOne V1, which says what it likes.
    func oldWebhook(_ reference: String, status: String = "paid") async throws -> HTTPCall.Reply {
        let json = #"{"imp_uid":"\#(reference)","merchant_uid":"whatever","status":"\#(status)"}"#
        return try await HTTPCall.post(port: someone.publicPort, "/v1/webhooks/portone/v1", json: json)
    }

    /// A webhook of PortOne V2, signed.
    func newWebhook(
        _ reference: String, id: String, type: String = "Transaction.Paid", at time: Timestamp = .now
    ) async throws -> HTTPCall.Reply {
        let body = #"{"type":"\#(type)","timestamp":"2024-04-25T10:00:00.000Z","data":{"paymentId":"\#(reference)"}}"#
        let headers = Signing.headers(id: id, body: body, secret: StandardWebhooksTests.secret, at: time)
        return try await HTTPCall.post(
            port: someone.publicPort, "/v1/webhooks/portone/v2", json: body, headers: headers.map { ($0.key, $0.value) }
        )
    }

    /// Runs a command of an operator's.
    func command(_ name: String) async throws -> (status: Int32, output: String) {
        try await someone.command(name, in: folder)
    }

    /// What a run of reconciliation finds, as `kind subject`.
    func reconcile() async throws -> Set<String> {
        let reply = try await ask("POST", "/internal/reconciliation")
        guard reply.status == 200, let list = try JSONValue(parsing: reply.body)["differences"]?.elements else {
            throw NeverHappened(description: "a reconciliation: \(reply.status) \(reply.text)")
        }
        return Set(list.map { "\($0["kind"]?.string ?? "") \($0["subject"]?.string ?? "")" })
    }
}

extension PaymentHouse {
    /// Makes a call again and again until some instance answers it, as a client does that must know.
    func persistently(
        within patience: Duration = .seconds(40), _ call: () async throws -> HTTPCall.Reply
    ) async throws -> HTTPCall.Reply {
        let deadline = ContinuousClock.now + patience.patiently
        while true {
            do {
                let reply = try await call()
                if reply.status < 500 && reply.errorCode != "E98" { return reply }
                if ContinuousClock.now > deadline { return reply }
            } catch {
                if ContinuousClock.now > deadline { throw error }
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// The first column of the first row.
    func value(_ sql: String) async throws -> String {
        let output = try await database.run(sql: sql)
        return output.split(separator: "\n").first.map(String.init) ?? ""
    }
}

extension PaymentHouse {
    /// Waits for so many facts of changed balances on the stream, and returns the bodies of all.
    func facts(_ count: Int) async throws -> [String] {
        @Sendable func bodies() async throws -> [String] {
            let parts = try await redis.command("XRANGE", "facts:payment", "-", "+")
            return parts.indices.filter { parts[$0] == "body" }.map { parts[$0 + 1] }
        }
        try await eventually("\(count) facts") { try await bodies().count >= count }
        return try await bodies()
    }
}
