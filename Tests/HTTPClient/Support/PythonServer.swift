import TestSupport

/// The server of `server.py`, which behaves or misbehaves as the path of a request says.
final class PythonServer: Sendable {
    let port: UInt16
    let process: ChildProcess
    private let folder = TemporaryFolder("maru-http-client")

    private static let shared = Task { try await PythonServer() }

    /// The server that tests share if they leave it running; add a query of your own to a path if its requests are
    /// counted.
    static func ofThisProcess() async throws -> PythonServer { try await shared.value }

    init() async throws {
        let here = #filePath
        let script = here[..<here.lastIndex(of: "/")!] + "/server.py"
        process = try ChildProcess("/usr/bin/env", ["python3", String(script)], log: folder.path + "/log")
        try await process.written(" .\n")
        let words = process.output.split(separator: " ")
        port = UInt16(words[1])!
    }

    func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

    /// Waits until this number of requests for `target`, with its query, has arrived.
    func hasSeen(_ target: String, times: Int = 1) async throws {
        let port = port
        try await eventually("\(times) requests for \(target)") {
            try await HTTPCall.get(port: port, "/seen?" + target).text == "\(times)"
        }
    }
}
