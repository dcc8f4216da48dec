import ServiceSupport
import Synchronization
import TestSupport
import Wire

@testable import payment_service

/// The built payment-service in one or more instances, on real Postgres and Redis, with a stub of its peers.
final class PaymentFixture: Stoppable {
    let database: TestDatabase
    let redis: RedisServer
    let provider: ProviderStub
    private let folder = TemporaryFolder("maru-payment")
    private let settings: [String: String]
    private let running: Mutex<[BuiltService]>
    private let logs = Mutex<[String]>([])

    private init(instances: Int, _ settings: [String: String]) async throws {
        database = try await PostgresCluster.ofThisProcess().makeDatabase()
        redis = try await RedisServer.start()
        provider = try ProviderStub()
        self.settings = settings
        running = Mutex([])
        for _ in 0..<instances { _ = try await start() }
    }

    /// Runs `body` with a fixture of its own.
    static func use(
        instances: Int = 1, _ settings: [String: String] = [:], _ body: (PaymentFixture) async throws -> Void
    ) async throws {
        try await PaymentFixture(instances: instances, settings).lent(to: body)
    }

    // MARK: Instances

    func start() async throws -> BuiltService {
        var all = [
            "address_rate": "100000", "address_burst": "100000", "portone_v1_url": provider.url,
            "portone_v1_key": "key",
            "portone_v1_secret": "secret", "portone_v2_url": provider.url + "/v2", "portone_v2_secret": "v2secret",
            "portone_v2_webhook_secret": StandardWebhooksTests.secret, "sweep_interval": "50ms",
            "workspace_url": provider.url, "operator_credential": ServiceUnderTest.operatorCredential,
            // A machine that stands still answers later than a provider.
            "provider_deadline": "60s",
        ]
        all.merge(settings) { _, override in override }
        let started = try await BuiltService(
            "payment-service", database: database, redis: redis, auth: provider.url, in: folder, all)
        logs.withLock { $0.append(started.process.log) }
        running.withLock { $0.append(started) }
        return started
    }

    /// Kills an instance with SIGKILL, and starts another one.
    func replace(_ index: Int) async throws {
        let old = running.withLock { $0.remove(at: index % $0.count) }
        await old.kill()
        _ = try await start()
    }

    func stop() async {
        for instance in running.withLock(\.self) { await instance.stop() }
        await provider.stop()
        await redis.stop()
    }

    /// The logs of all instances.
    var log: String { logs.withLock(\.self).map { (try? String(contentsOfFile: $0)) ?? "" }.joined() }

    /// Log lines about statements that the database refused. Its guards are the last defence and must not be needed.
    var refusedStatements: [String] {
        log.split(separator: "\n").filter { $0.contains("postgres server") }.map(String.init)
    }

    /// A random instance.
    var anyInstance: BuiltService { running.withLock { $0[Int.random(in: 0..<$0.count)] } }

    // MARK: Calls

    var refusalProbe: RefusalProbe {
        let anyInstance = anyInstance
        return RefusalProbe(
            publicPort: anyInstance.publicPort, internalPort: anyInstance.internalPort, tokens: provider.tokens)
    }

    /// Calls as a signed-in client.
    func call(
        _ method: String, _ path: String, user: Int64? = 7, key: String? = "sooda", json: String = ""
    ) async throws -> HTTPCall.Reply {
        var headers = [("Content-Type", "application/json")]
        if let key { headers.append(("SesacKey", key)) }
        if let user { headers.append(("Authorization", provider.tokens.token(user: user, key: key ?? "sooda"))) }
        return try await HTTPCall(
            method, port: anyInstance.publicPort, path, headers: headers, body: Array(json.utf8)
        ).reply()
    }

    func validate(
        _ reference: String, _ order: String, user: Int64 = 7, key: String = "sooda"
    ) async throws -> HTTPCall.Reply {
        if !reference.hasPrefix("imp") { try await makeOrder(reference, user: user) }
        return try await validateWithoutOrder(reference, order, user: user, key: key)
    }

    /// Makes the user the owner of the order of a PortOne V2 payment, unless it has one.
    private func makeOrder(_ reference: String, user: Int64) async throws {
        try await database.run(
            sql: """
                insert into payment.purchase_order (number, user_id, item) values ('\(reference)', \(user), '10 Coin')
                on conflict do nothing
                """)
    }

    func validateWithoutOrder(
        _ reference: String, _ order: String, user: Int64 = 7, key: String = "sooda"
    ) async throws -> HTTPCall.Reply {
        let json = #"{"imp_uid":"\#(reference)","merchant_uid":"\#(order)"}"#
        return try await call("POST", "/v1/store/pay/validation", user: user, key: key, json: json)
    }

    /// Calls as another service.
    func ask(_ method: String, _ path: String, json: String = "") async throws -> HTTPCall.Reply {
        try await HTTPCall(
            method, port: anyInstance.internalPort, path,
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

    func release(_ key: String) async throws -> HTTPCall.Reply {
        try await ask("POST", "/internal/reserves/\(key)/release")
    }

    /// Sends an unsigned webhook of PortOne V1.
    func webhookV1(_ reference: String, status: String = "paid") async throws -> HTTPCall.Reply {
        let json = #"{"imp_uid":"\#(reference)","merchant_uid":"any","status":"\#(status)"}"#
        return try await HTTPCall.post(port: anyInstance.publicPort, "/v1/webhooks/portone/v1", json: json)
    }

    /// Sends a signed webhook of PortOne V2.
    func webhookV2(
        _ reference: String, id: String, type: String = "Transaction.Paid", at time: Timestamp = .now
    ) async throws -> HTTPCall.Reply {
        let body = #"{"type":"\#(type)","timestamp":"2024-04-25T10:00:00.000Z","data":{"paymentId":"\#(reference)"}}"#
        let headers = Signing.headers(id: id, body: body, secret: StandardWebhooksTests.secret, at: time)
        return try await HTTPCall.post(
            port: anyInstance.publicPort, "/v1/webhooks/portone/v2", json: body,
            headers: headers.map { ($0.key, $0.value) }
        )
    }

    /// Runs an operator's command.
    func command(_ name: String) async throws -> (status: Int32, output: String) {
        try await anyInstance.command(name, in: folder)
    }

    /// Runs a reconciliation and returns its differences, as `kind subject`.
    func reconcile() async throws -> Set<String> {
        let reply = try await ask("POST", "/internal/reconciliation")
        guard reply.status == 200, let list = try JSONValue(parsing: reply.body)["differences"]?.elements else {
            throw NeverHappened(description: "a reconciliation: \(reply.status) \(reply.text)")
        }
        return Set(list.map { "\($0["kind"]?.string ?? "") \($0["subject"]?.string ?? "")" })
    }
}

extension PaymentFixture {
    /// Retries a call until an instance answers it.
    func retried(
        within limit: Duration = .seconds(40), _ call: () async throws -> HTTPCall.Reply
    ) async throws -> HTTPCall.Reply {
        let deadline = ContinuousClock.now + limit.patiently
        while true {
            do {
                let reply = try await call()
                if reply.status < 500 && reply.errorCode != "E98" { return reply }
                if ContinuousClock.now > deadline { return reply }
            } catch {
                if ContinuousClock.now > deadline { throw error }
            }
            try await pause(for: .milliseconds(20))
        }
    }

    /// The first column of the first row.
    func value(_ sql: String) async throws -> String {
        let output = try await database.run(sql: sql)
        return output.split(separator: "\n").first.map(String.init) ?? ""
    }
}

extension PaymentFixture {
    /// Waits for `count` facts about balances on the stream, and returns the bodies of all. One that is marked too late is published
    /// again, with the same version.
    func facts(_ count: Int) async throws -> [String] {
        @Sendable func bodies() async throws -> [String] {
            let parts = try await redis.command("XRANGE", "facts:payment", "-", "+")
            return parts.indices.filter { parts[$0] == "body" }.map { parts[$0 + 1] }.withoutRepeats
        }
        try await eventually("\(count) facts") { try await bodies().count >= count }
        return try await bodies()
    }
}
