import Foundation
import Telemetry
import TestSupport
import Testing

/// A log that a test reads.
final class LogFile: Sendable {
    private let folder = TemporaryFolder("maru-log")
    private let output: LogOutput
    private let descriptor: Int32

    init() {
        descriptor = open(folder.path + "/log", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        output = LogOutput(descriptor: descriptor)
    }

    deinit { close(descriptor) }

    func log(_ level: LogLevel) -> Log { Log(service: "sample", level: level, to: output) }

    /// The text written so far.
    func text() async throws -> String {
        await output.flush()
        return String(decoding: try Data(contentsOf: URL(fileURLWithPath: folder.path + "/log")), as: UTF8.self)
    }

    /// The lines written so far.
    func lines() async throws -> [[String: Any]] {
        try await text().split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
    }
}
