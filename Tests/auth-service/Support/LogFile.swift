import Glibc
import Telemetry
import TestSupport

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

    func log(_ level: LogLevel) -> Log { Log(service: "auth-service", level: level, to: output) }

    /// The text written so far.
    func text() async throws -> String {
        await output.flush()
        return try String(contentsOfFile: folder.path + "/log")
    }
}
