public import TestSupport
internal import Wire

/// A built service in its own process, which can be killed.
public final class BuiltService: Stoppable {
    public let process: ChildProcess
    public let publicPort: UInt16
    public let internalPort: UInt16
    private let name: String
    private let environment: [String: String]

    /// Starts the service and waits until it is ready.
    ///
    /// - Parameters:
    ///   - folder: the folder of its files and its log.
    ///   - settings: the settings that differ from the defaults here. The log level must include `started`.
    public init(
        _ name: String, database: TestDatabase, redis: RedisServer, auth: String, in folder: TemporaryFolder,
        _ settings: [String: String] = [:]
    ) async throws {
        self.name = name
        var all = [
            "public_address": "127.0.0.1:0", "internal_address": "127.0.0.1:0",
            "clients_file": ServiceUnderTest.clients, "service_credential": ServiceUnderTest.credential,
            "database_url": database.connectionString, "redis_url": "redis://127.0.0.1:\(redis.port)/0",
            "auth_url": auth, "files_folder": folder.path, "loops": "2",
        ]
        all.merge(ServiceUnderTest.limits) { _, limit in limit }
        all.merge(settings) { _, own in own }
        process = try ChildProcess.service(name, all, log: Self.log(of: name, in: folder))
        let json = try await Self.started(process)
        func port(_ name: String) throws -> UInt16 {
            guard let port = json[named: name]?.string?.split(separator: ":").last.flatMap({ UInt16($0) }) else {
                throw NeverHappened(description: "the \(name) port in the log")
            }
            return port
        }
        publicPort = try port("public")
        internalPort = try port("internal")
        all["internal_address"] = "127.0.0.1:\(internalPort)"
        environment = ChildProcess.environment(all)
        let (internalPort, process) = (internalPort, process)
        try await eventually(within: .seconds(60), name) {
            guard process.isRunning else { throw NeverHappened(description: "\(name): \(process.output)") }
            return (try? await HTTPCall.get(port: internalPort, "/readyz").status) == 200
        }
    }

    /// The line of the log with its addresses. The program may be writing the last line.
    private static func started(_ process: ChildProcess) async throws -> JSONValue {
        @Sendable func line() -> Substring? {
            process.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
                .first { $0.contains(#""message":"started""#) }
        }
        try await eventually(within: .seconds(60), "a start in \(process.log)") {
            guard process.isRunning else { throw NeverHappened(description: "a start: \(process.output)") }
            return line() != nil
        }
        return try JSONValue(parsing: String(line() ?? "{}"))
    }

    private static func log(of name: String, in folder: TemporaryFolder) -> String {
        "\(folder.path)/\(name)-\(UInt64.random(in: 0 ... .max)).log"
    }

    /// Runs the program with an operator command for this instance.
    public func command(_ command: String, in folder: TemporaryFolder) async throws -> (status: Int32, output: String) {
        let process = try ChildProcess.product(
            name, [command], environment: environment, log: Self.log(of: name, in: folder))
        return (await process.wait(), process.output)
    }

    /// Kills the process with SIGKILL.
    public func kill() async {
        process.signal(9)
        await process.wait()
    }

    public func stop() async { await process.stop() }
}
