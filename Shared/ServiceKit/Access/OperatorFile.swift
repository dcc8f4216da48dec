internal import EventLoop
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

    /// The operators of now; none if the file is not there. A file that cannot be read has none either.
    func list() async throws -> OperatorList {
        guard !path.isEmpty else { return OperatorList() }
        let text = try await pool.run { [path] in Config.textOfFile(path) ?? "" }
        return known.withLock { known in
            guard text != known.text else { return known.list }
            known = (text, OperatorList(text))
            if let line = known.list.unreadable.first {
                log.error("operators_file has a line that cannot be read", ["line": .count(line)])
            }
            return known.list
        }
    }
}
