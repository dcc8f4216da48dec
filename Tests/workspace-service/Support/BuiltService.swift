import ServiceSupport
import TestSupport
import Wire

/// A built service as a process of its own, which can be killed.
final class BuiltService: Sendable {
    let process: ChildProcess
    let publicPort: UInt16
    let internalPort: UInt16

    /// Starts it and waits until it is ready.
    init(
        _ name: String, database: TestDatabase, redis: RedisServer, auth: String, files: TemporaryFolder,
        _ settings: [String: String] = [:]
    ) async throws {
        var all = [
            "public_address": "127.0.0.1:0", "internal_address": "127.0.0.1:0",
            "clients_file": ServiceUnderTest.clients, "service_credential": ServiceUnderTest.credential,
            "database_url": database.connectionString, "redis_url": "redis://127.0.0.1:\(redis.port)/0",
            "files_folder": files.path, "auth_url": auth, "loops": "2", "database_connections": "2",
        ]
        all.merge(settings) { _, given in given }
        process = try ChildProcess.product(
            name, environment: Dictionary(uniqueKeysWithValues: all.map { ("MARU_" + $0.uppercased(), $1) }),
            log: files.path + "/log-\(UInt64.random(in: 0 ... .max))")
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
        let (internalPort, process) = (internalPort, process)
        try await eventually(within: .seconds(60), name) {
            guard process.isRunning else { throw NeverHappened(description: "\(name): \(process.output)") }
            return (try? await HTTPCall.get(port: internalPort, "/readyz").status) == 200
        }
    }

    /// Ends it as the kernel would, with no moment to tidy up.
    func kill() async {
        process.signal(9)
        await process.wait()
    }
}
