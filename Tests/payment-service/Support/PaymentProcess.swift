import ServiceSupport
import TestSupport

/// One instance of the built payment-service.
final class PaymentProcess: Sendable {
    let publicPort = FreePort.pick()
    let internalPort = FreePort.pick()
    let process: ChildProcess

    /// Starts an instance and waits until it is ready.
    init(
        database: TestDatabase, redis: RedisServer, world: StubWorld, log: String, settings: [String: String] = [:]
    ) async throws {
        var all = [
            "public_address": "127.0.0.1:\(publicPort)", "internal_address": "127.0.0.1:\(internalPort)",
            "clients_file": ServiceUnderTest.clients, "service_credential": ServiceUnderTest.credential,
            "database_url": database.connectionString, "redis_url": "redis://127.0.0.1:\(redis.port)/0",
            "auth_url": world.url, "address_rate": "100000", "address_burst": "100000",
            "portone_v1_url": world.url, "portone_v1_key": "key", "portone_v1_secret": "secret",
            "portone_v2_url": world.url + "/v2", "portone_v2_secret": "v2secret",
            "portone_v2_webhook_secret": StandardWebhooksTests.secret, "sweep_interval": "50ms",
        ]
        all.merge(settings) { _, given in given }
        var environment: [String: String] = [:]
        for (name, value) in all { environment["MARU_" + name.uppercased()] = value }
        process = try ChildProcess.product("payment-service", environment: environment, log: log)
        try await eventually(within: .seconds(30), "payment-service") {
            guard self.process.isRunning else { throw NeverHappened(description: "start: \(self.process.output)") }
            return (try? await HTTPCall.get(port: self.internalPort, "/readyz").status) == 200
        }
    }
}
