import ServiceSupport
import TestSupport
import Wire

/// One instance of the built payment-service.
final class PaymentProcess: Sendable {
    let publicPort: UInt16
    let internalPort: UInt16
    let process: ChildProcess
    private let environment: [String: String]

    /// Starts an instance on ports of its own and waits until it is ready.
    ///
    /// - Parameter log: a file of its own.
    init(
        database: TestDatabase, redis: RedisServer, world: StubWorld, log: String, settings: [String: String] = [:]
    ) async throws {
        var all = [
            "public_address": "127.0.0.1:0", "internal_address": "127.0.0.1:0",
            "clients_file": ServiceUnderTest.clients, "service_credential": ServiceUnderTest.credential,
            "database_url": database.connectionString, "redis_url": "redis://127.0.0.1:\(redis.port)/0",
            "auth_url": world.url, "address_rate": "100000", "address_burst": "100000", "loops": "2",
            "database_connections": "2", "portone_v1_url": world.url, "portone_v1_key": "key",
            "portone_v1_secret": "secret", "portone_v2_url": world.url + "/v2", "portone_v2_secret": "v2secret",
            "portone_v2_webhook_secret": StandardWebhooksTests.secret, "sweep_interval": "50ms",
        ]
        all.merge(settings) { _, given in given }
        var environment: [String: String] = [:]
        for (name, value) in all { environment["MARU_" + name.uppercased()] = value }
        process = try ChildProcess.product("payment-service", environment: environment, log: log)
        try await process.written(#""message":"started""#, within: .seconds(60))
        let line = process.output.split(separator: "\n").first { $0.contains(#""message":"started""#) }
        let json = try JSONValue(parsing: String(line ?? "{}"))
        func port(_ name: String) throws -> UInt16 {
            guard let port = json[named: name]?.string?.split(separator: ":").last.flatMap({ UInt16($0) }) else {
                throw NeverHappened(description: "the \(name) port in the log")
            }
            return port
        }
        publicPort = try port("public")
        internalPort = try port("internal")
        environment["MARU_INTERNAL_ADDRESS"] = "127.0.0.1:\(internalPort)"
        self.environment = environment
        try await eventually(within: .seconds(60), "payment-service") {
            guard self.process.isRunning else { throw NeverHappened(description: "start: \(self.process.output)") }
            return (try? await HTTPCall.get(port: self.internalPort, "/readyz").status) == 200
        }
    }

    /// Runs the program once more, with a command for this instance.
    func command(_ name: String, log: String) async throws -> (status: Int32, output: String) {
        let command = try ChildProcess.product("payment-service", [name], environment: environment, log: log)
        return (await command.wait(), command.output)
    }
}
