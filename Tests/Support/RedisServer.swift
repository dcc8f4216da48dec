import Glibc
import Synchronization

/// A private Redis 7 server for tests, on a free port of the loopback address.
public final class RedisServer: Sendable {
    public let port: UInt16
    private let folder = TemporaryFolder("maru-redis")
    private let options: [String]
    private let server = Mutex<ChildProcess?>(nil)

    private static let once = Once<RedisServer>()

    /// The server that is shared by tests that do not stop it; use unique keys and channels.
    public static func ofThisProcess() async throws -> RedisServer {
        try await once.value { try await start() }
    }

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - isDurable: writes an append-only file, flushed with every command, so that `kill` loses nothing.
    ///   - options: further settings, as on the command line: `["--maxmemory", "10mb"]`.
    public static func start(isDurable: Bool = false, _ options: [String] = []) async throws -> RedisServer {
        let durability = isDurable ? ["--appendonly", "yes", "--appendfsync", "always"] : ["--appendonly", "no"]
        let server = RedisServer(durability + options)
        try await server.start()
        return server
    }

    private init(_ options: [String]) {
        port = FreePort.pick()
        self.options = options
    }

    public var log: String { folder.path + "/log" }

    /// Starts the server after `stop` or `kill`, and waits until it accepts connections.
    ///
    /// - Parameter more: further settings until the next start.
    public func start(_ more: [String] = []) async throws {
        let fixed = ["--port", "\(port)", "--bind", "127.0.0.1", "--dir", folder.path, "--save", ""]
        let arguments = fixed + options + more
        let process = try ChildProcess("/usr/bin/redis-server", arguments, log: log)
        server.withLock { $0 = process }
        try await eventually("a start of Redis") {
            guard process.isRunning else { throw NeverHappened(description: "Redis: \(process.output)") }
            guard let connection = try? RawConnection(port: self.port),
                (try? connection.send("PING\r\n")) != nil
            else { return false }
            // A server that requires a password is up as well.
            let reply = (try? connection.receive(until: "\r\n")) ?? ""
            return reply == "+PONG\r\n" || reply.hasPrefix("-NOAUTH")
        }
    }

    public func stop() async { await process?.stop(SIGTERM) }

    public func kill() async { await process?.stop(SIGKILL) }

    public func restart() async throws {
        await stop()
        try await start()
    }

    /// Pauses or resumes the server: `SIGSTOP`, `SIGCONT`.
    public func signal(_ signal: Int32) { process?.signal(signal) }

    /// The number of times that clients have sent a command, which is named in lower case.
    public func calls(of command: String) async throws -> Int {
        let statistics = try await onOwnThread { [port] in
            Result {
                let connection = try RawConnection(port: port)
                try connection.send("INFO commandstats\r\nQUIT\r\n")
                return String(decoding: try connection.receiveToEnd(), as: UTF8.self)
            }
        }.get()
        let mark = "cmdstat_\(command):calls="
        let line = statistics.split(separator: "\r\n").first { $0.hasPrefix(mark) }
        return line.flatMap { Int($0.dropFirst(mark.count).prefix { $0 != "," }) } ?? 0
    }

    /// The process id of the running server; -1 if there is none.
    public var pid: Int32 { process?.pid ?? -1 }

    private var process: ChildProcess? { server.withLock(\.self) }
}
