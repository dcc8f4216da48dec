internal import Glibc
public import Telemetry
internal import TestSupport

/// A log that a test reads.
public final class LogFile: Sendable {
    private let folder = TemporaryFolder("maru-log")
    private let output: LogOutput
    private let descriptor: Int32

    public init() {
        descriptor = open(folder.path + "/log", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        output = LogOutput(descriptor: descriptor)
    }

    deinit { close(descriptor) }

    /// A log of the service `name` that writes to the file.
    public func log(_ level: LogLevel, of name: String = "sample") -> Log {
        Log(service: name, level: level, to: output)
    }

    /// The text written so far.
    public func text() async throws -> String {
        await output.flush()
        return try String(contentsOfFile: folder.path + "/log")
    }
}
