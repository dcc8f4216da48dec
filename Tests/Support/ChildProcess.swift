import Glibc

/// A program that a test runs: its output goes to a log, and it never outlives the tests.
public final class ChildProcess: Sendable {
    /// The path of the file with standard output and error.
    public let log: String
    private let end: ChildEnd
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
        let pid = Spawn.start(path, arguments, environment: environment, output: output)
        guard pid > 0 else { throw StartFailure(program: path, code: -pid) }
        Guardian.ofThisProcess.watch(pid, endingWith: signal)
        end = ChildEnd(of: pid)
    }

    deinit { end.signal(lastSignal) }

    public var pid: Int32 { end.pid }

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

    public func signal(_ signal: Int32) { end.signal(signal) }

    /// Whether it has not ended yet.
    public var isRunning: Bool { end.status == nil }

    /// Waits until it ends.
    ///
    /// - Returns: its exit status, or 128 plus the number of the signal that ended it.
    @discardableResult
    public func wait() async -> Int32 {
        await onOwnThread { [end] in end.wait() }
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
}
