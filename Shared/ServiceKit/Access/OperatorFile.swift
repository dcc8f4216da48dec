internal import Contract
internal import EventLoop
internal import Glibc
internal import Synchronization
internal import Telemetry

/// Reads `operators_file` for each call of an operator, so that a change is in force at once. The file is small and operators' calls
/// are few.
final class OperatorFile: Sendable {
    private let path: String
    private let pool: BlockingPool
    private let log: Log
    private let known = Mutex<(text: String, list: OperatorList)>(("", OperatorList()))

    /// - Parameter path: empty for none.
    init(_ path: String, pool: BlockingPool, log: Log) {
        self.path = path
        self.pool = pool
        self.log = log
    }

    /// The operators of now; none if the file is not there.
    ///
    /// - Throws: if the file cannot be read. Without the list the shared credential could use the name of anybody.
    func list() async throws -> OperatorList {
        guard !path.isEmpty else { return OperatorList() }
        guard let text = try await pool.run({ [path] in Self.text(path) }) else {
            throw Failure(
                .serverError, "operators_file cannot be read: look at its permissions, and whether it is UTF-8.",
                status: 503)
        }
        return known.withLock { known in
            guard text != known.text else { return known.list }
            known = (text, OperatorList(text))
            if let line = known.list.unreadable.first {
                log.error("operators_file has a line that cannot be read", ["line": .count(line)])
            }
            return known.list
        }
    }

    /// Nil for a file that is there and cannot be read.
    private static func text(_ path: String) -> String? {
        if access(path, F_OK) != 0 && errno == ENOENT { return "" }
        return Config.textOfFile(path)
    }
}
