import Foundation

/// SeaweedFS, an object store that speaks the protocol of S3 and checks signatures, on free ports of the loopback address.
public final class SeaweedServer: Sendable {
    public static let accessKey = "maru"
    public static let secretKey = "maru-secret-of-tests"
    /// The program of the tests' Python environment.
    private static let program = ".venv/bin/weed"

    public let port = FreePort.pick()
    private let folder = TemporaryFolder("maru-seaweed")
    private let process: ChildProcess

    private static let shared = Task { try await SeaweedServer() }

    /// The server that all tests share; use names of your own.
    public static func ofThisProcess() async throws -> SeaweedServer { try await shared.value }

    public var url: String { "http://127.0.0.1:\(port)" }

    private init() async throws {
        let identities = """
            {"identities":[{"name":"maru","actions":["Admin","Read","Write","List"],
            "credentials":[{"accessKey":"\(Self.accessKey)","secretKey":"\(Self.secretKey)"}]}]}
            """
        try identities.write(toFile: folder.path + "/identities.json", atomically: false, encoding: .utf8)
        let ports = (0..<6).map { _ in FreePort.pick() }
        process = try ChildProcess(
            Self.program,
            [
                "server", "-dir=\(folder.path)", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", "-master.telemetry=false",
                "-master.port=\(ports[0])", "-master.port.grpc=\(ports[1])", "-volume.port=\(ports[2])",
                "-volume.port.grpc=\(ports[3])", "-filer", "-filer.port=\(ports[4])", "-filer.port.grpc=\(ports[5])",
                "-s3", "-s3.autoCreateBucket", "-s3.port=\(port)", "-s3.port.grpc=\(FreePort.pick())",
                "-s3.port.lance=0",
                "-s3.port.iceberg=0", "-s3.config=\(folder.path)/identities.json", "-master.volumeSizeLimitMB=64",
                "-volume.max=8",
            ], log: folder.path + "/log")
        let (process, port) = (process, port)
        try await eventually("a start of SeaweedFS") {
            guard process.isRunning else { throw NeverHappened(description: "SeaweedFS: \(process.output)") }
            return (try? await HTTPCall.get(port: port, "/healthz"))?.status == 200
        }
    }
}
