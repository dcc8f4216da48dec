import Glibc
import Synchronization

/// A program that a test runs: its output goes to a log, and it never outlives the tests.
public final class ChildProcess: Sendable {
    public let pid: Int32
    /// The path of the file with standard output and error.
    public let log: String
    private let ended = Mutex<Int32?>(nil)
    /// The signal that ends the program if the test has not stopped it: children of a killed program would stay.
    private let lastSignal: Int32

    public struct StartFailure: Error {
        public let program: String
        public let code: Int32
    }

    /// Starts the program at `path`.
    ///
    /// - Parameters:
    ///   - environment: all variables of the child; nil for those of the tests.
    ///   - log: the path of a file; output is appended to it.
    ///   - atEnd: the signal that ends the child if the tests die or do not stop it: `KILL`, `TERM`, `INT`, or `QUIT`
    /// for Postgres.
    public init(
        _ path: String, _ arguments: [String] = [], environment: [String: String]? = nil, log: String,
        atEnd signal: String = "KILL"
    ) throws {
        self.log = log
        lastSignal = ["TERM": SIGTERM, "INT": SIGINT, "QUIT": SIGQUIT][signal] ?? SIGKILL
        let output = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        defer { close(output) }
        pid = Spawn.start(path, arguments, environment: environment, output: output)
        guard pid > 0 else { throw StartFailure(program: path, code: -pid) }
        Guardian.ofThisProcess.watch(pid, endingWith: signal)
    }

    deinit { if isRunning { kill(pid, lastSignal) } }

    /// The environment variables that control sanitizers, passed on to products under test.
    private static let sanitizerVariables = ["LD_PRELOAD", "TSAN_OPTIONS", "ASAN_OPTIONS"]

    /// Starts a product of this package, which must have been built.
    public static func product(
        _ name: String, _ arguments: [String] = [], environment: [String: String]? = nil, log: String
    ) throws -> ChildProcess {
        var environment = environment
        for name in sanitizerVariables { environment?[name] = getenv(name).map { String(cString: $0) } }
        return try ChildProcess(
            productsFolder + "/" + name, arguments, environment: environment, log: log, atEnd: "TERM")
    }

    /// The folder of the package's products, which is that of the test bundle.
    public static var productsFolder: String {
        let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
        let end = bundle.lastIndex(of: "/") ?? bundle.startIndex
        return String(bundle[..<end])
    }

    public func signal(_ signal: Int32) { if isRunning { kill(pid, signal) } }

    /// Whether it has not ended yet.
    public var isRunning: Bool { collect(WNOHANG) == nil }

    /// Waits until it ends.
    ///
    /// - Returns: its exit status, or 128 plus the number of the signal that ended it.
    @discardableResult
    public func wait() async -> Int32 {
        await onOwnThread { self.collect(0) ?? -1 }
    }

    /// Sends it a signal and waits for its end; after `limit` it is killed.
    @discardableResult
    public func stop(_ signal: Int32 = 15, patience limit: Duration = .seconds(20)) async -> Int32 {
        self.signal(signal)
        do {
            try await eventually(within: limit) { !self.isRunning }
        } catch {
            self.signal(SIGKILL)
        }
        return await wait()
    }

    /// Its whole output so far.
    public var output: String { (try? String(contentsOfFile: log)) ?? "" }

    /// Waits until its output contains `text`; fails if it ends before.
    public func written(_ text: String, within limit: Duration = .seconds(20)) async throws {
        try await eventually(within: limit, "\(text) in \(log)") { self.output.contains(text) || !self.isRunning }
        guard output.contains(text) else {
            throw StartFailure(program: "\(text) is not in \(log):\n\(output)", code: 0)
        }
    }

    private func collect(_ options: Int32) -> Int32? {
        ended.withLock { ended in
            if let ended { return ended }
            var status: Int32 = 0
            var result: pid_t
            repeat { result = waitpid(pid, &status, options) } while result < 0 && errno == EINTR
            guard result == pid else { return nil }
            let signal = status & 0x7F
            ended = signal == 0 ? (status >> 8) & 0xFF : 128 + signal
            Guardian.ofThisProcess.forget(pid)
            return ended
        }
    }
}
