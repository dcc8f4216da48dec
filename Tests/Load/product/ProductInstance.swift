import Glibc
import LoadClient
import TestSupport

/// All of Maru as `deploy/up` runs it, on free ports and in a data folder of its own.
final class ProductHouse: Stoppable {
    /// Of the API gateway.
    let port: UInt16
    private let folder: TemporaryFolder
    private let log: String

    static let services = ["auth-service", "workspace-service", "chat-service", "realtime-gateway", "payment-service"]
    private static let checkout = "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/")

    private var data: String { folder.path + "/data" }

    /// Starts what lies beside this program, with the limits per address lifted: all that comes is from one.
    static func start() async throws -> ProductHouse {
        let folder = TemporaryFolder("maru-load")
        chmod(folder.path, 0o755)
        try await deploy("up", ["--detach", "--port", "0"], folder)
        let ports = try String(contentsOfFile: folder.path + "/data/ports")
        guard let line = ports.split(separator: "\n").first(where: { $0.hasPrefix("gateway_port=") }),
            let port = UInt16(line.dropFirst("gateway_port=".count))
        else { throw NeverHappened(description: "the gateway's port") }
        return ProductHouse(port, folder)
    }

    private init(_ port: UInt16, _ folder: TemporaryFolder) {
        self.port = port
        self.folder = folder
        log = folder.path + "/log"
    }

    func stop() async { try? await Self.deploy("down", [], folder) }

    private static func deploy(_ command: String, _ options: [String], _ folder: TemporaryFolder) async throws {
        var environment = [
            "MARU_PROGRAMS": ChildProcess.productsFolder, "MARU_GATEWAY_REQUESTS_PER_ADDRESS": "1000000",
            "MARU_GATEWAY_CONNECTIONS_PER_ADDRESS": "65535",
        ]
        for name in ["PATH", "HOME"] { if let value = getenv(name) { environment[name] = String(cString: value) } }
        let process = try ChildProcess(
            checkout + "/deploy/" + command, ["--data", folder.path + "/data"] + options, environment: environment,
            log: folder.path + "/log", atEnd: "TERM")
        guard await process.wait() == 0 else {
            throw NeverHappened(description: "deploy/\(command): \(process.output)")
        }
    }

    /// Runs SQL as the role of a service; returns what it printed.
    @discardableResult
    func sql(_ role: String, _ statements: String) async throws -> String {
        let url = try String(contentsOfFile: data + "/secrets/\(role)/database_url")
        let (input, output) = (folder.path + "/input", folder.path + "/output")
        guard let file = fopen(input, "w") else { throw NeverHappened(description: "a file of SQL") }
        fputs(statements, file)
        fclose(file)
        unlink(output)
        let process = try ChildProcess(
            "/usr/bin/psql", ["-XAtq", "-v", "ON_ERROR_STOP=1", "-f", input, url], log: output)
        guard await process.wait() == 0 else { throw NeverHappened(description: "psql: \(process.output)") }
        return process.output
    }

    /// What each part costs, and this program beside them.
    func meters() throws -> [(name: String, meter: ProcessMeter)] {
        try (Self.services + ["postgres", "redis", "gateway"]).map { name in
            guard let pid = Int32(try String(contentsOfFile: data + "/run/\(name).pid").prefix { $0 != " " }) else {
                throw NeverHappened(description: "the process of \(name)")
            }
            return (name == "gateway" ? "nginx" : name, ProcessMeter(pid: pid))
        } + [("client", ProcessMeter(pid: getpid()))]
    }
}
