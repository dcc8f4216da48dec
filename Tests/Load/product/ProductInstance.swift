import EventLoop
import Glibc
import LoadClient
import TestSupport

/// The whole product as `deploy/up` runs it, on free ports and with its own data folder.
final class ProductInstance: Stoppable {
    /// The port of the API gateway.
    let port: UInt16
    private let folder: TemporaryFolder
    private let log: String

    static let services = ["auth-service", "workspace-service", "chat-service", "realtime-gateway", "payment-service"]
    private static let checkout = "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/")

    private var data: String { folder.path + "/data" }

    /// Time limits of calls between services and to stores, as they are by default.
    private static let timeouts: [(name: String, limit: Duration)] = [
        ("internal_timeout", .seconds(3)), ("connect_timeout", .seconds(3)), ("redis_timeout", .seconds(1)),
        ("database_timeout", .seconds(5)), ("database_connect_timeout", .seconds(2)),
    ]

    /// Starts the programs in this program's folder. The limits per address are raised, since all load comes from one
    /// address. `MARU_PATIENCE` extends the time-outs, because a machine that stands still would make calls fail.
    static func start() async throws -> ProductInstance {
        let folder = TemporaryFolder("maru-load")
        chmod(folder.path, 0o755)
        try writeSettings(in: folder.path + "/data")
        try await deploy("up", ["--detach", "--port", "0"], folder)
        let ports = try String(contentsOfFile: folder.path + "/data/ports")
        guard let line = ports.split(separator: "\n").first(where: { $0.hasPrefix("gateway_port=") }),
            let port = UInt16(line.dropFirst("gateway_port=".count))
        else { throw NeverHappened(description: "the gateway's port") }
        return ProductInstance(port, folder)
    }

    private static func writeSettings(in data: String) throws {
        for path in [data, data + "/settings"] { mkdir(path, 0o755) }
        let patient = timeouts.map { "\($0.name) = \(Int(($0.limit.patiently / .seconds(1)).rounded()))s\n" }.joined()
        for service in services {
            guard let file = fopen(data + "/settings/\(service).conf", "w") else {
                throw NeverHappened(description: "settings of \(service)")
            }
            fputs(patient, file)
            if service == "realtime-gateway" {
                fputs("handshake_address_rate = 100000\nhandshake_address_burst = 100000\n", file)
            }
            fclose(file)
        }
    }

    private init(_ port: UInt16, _ folder: TemporaryFolder) {
        self.port = port
        self.folder = folder
        log = folder.path + "/log"
    }

    /// The address of the API gateway.
    var address: SocketAddress {
        guard let address = SocketAddress(ip: "127.0.0.1", port: port) else {
            preconditionFailure("the loopback address is valid")
        }
        return address
    }

    func stop() async { try? await Self.deploy("down", [], folder) }

    private static func deploy(_ command: String, _ options: [String], _ folder: TemporaryFolder) async throws {
        var environment = [
            "MARU_PROGRAMS": ChildProcess.productsFolder, "MARU_GATEWAY_REQUESTS_PER_ADDRESS": "1000000",
            "MARU_GATEWAY_CONNECTIONS_PER_ADDRESS": "65535",
        ]
        for name in ["PATH", "HOME", "MARU_PATIENCE"] {
            if let value = getenv(name) { environment[name] = String(cString: value) }
        }
        let process = try ChildProcess(
            checkout + "/deploy/" + command, ["--data", folder.path + "/data"] + options, environment: environment,
            log: folder.path + "/log", atEnd: "TERM")
        guard await process.wait() == 0 else {
            throw NeverHappened(description: "deploy/\(command): \(process.output)")
        }
    }

    /// Runs SQL as the role of a service and returns the output.
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

    /// Meters of all processes, including this one.
    func meters() throws -> [(name: String, meter: ProcessMeter)] {
        try (Self.services + ["postgres", "redis", "gateway"]).map { name in
            guard let pid = Int32(try String(contentsOfFile: data + "/run/\(name).pid").prefix { $0 != " " }) else {
                throw NeverHappened(description: "the process of \(name)")
            }
            return (name == "gateway" ? "nginx" : name, ProcessMeter(pid: pid))
        } + [("client", ProcessMeter(pid: getpid()))]
    }
}
