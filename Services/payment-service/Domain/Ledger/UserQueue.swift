import Contract
import EventLoop
import Wire

/// Runs one call at a time for each user of a loop. Waiting calls thus hold no database connection while they wait for
/// the user's lock.
struct UserQueue: Sendable {
    private let queues: LoopLocal<LoopQueues>

    /// The most calls of one user that wait on a loop; further calls are refused.
    static let limit = 256

    init(_ loops: EventLoopGroup) {
        queues = LoopLocal(loops) { _ in LoopQueues() }
    }

    /// Runs `body` when no other call of `user` runs on this loop.
    ///
    /// - Throws: `Failure.overloaded` if too many calls wait, else the error of `body`.
    func run<Value>(
        _ user: UserID, _ body: () async throws -> Value
    ) async throws -> Value {
        let queues = queues.current
        guard await queues.enter(user) else { throw Failure.overloaded }
        defer { queues.leave(user) }
        return try await body()
    }

    /// The queues of one loop, one for each user with a running call.
    ///
    /// - Note: `@unchecked Sendable` because only code on its loop reaches it.
    private final class LoopQueues: @unchecked Sendable {
        /// The calls that wait for the user's running call. A user without a running call has no entry.
        private var waiting: [UserID: [UnsafeContinuation<Void, Never>]] = [:]

        func enter(_ user: UserID) async -> Bool {
            guard let queue = waiting[user] else {
                waiting[user] = []
                return true
            }
            guard queue.count < UserQueue.limit else { return false }
            await withUnsafeContinuation { waiting[user, default: []].append($0) }
            return true
        }

        func leave(_ user: UserID) {
            guard var queue = waiting[user] else { return }
            guard !queue.isEmpty else {
                waiting[user] = nil
                return
            }
            let next = queue.removeFirst()
            waiting[user] = queue
            next.resume()
        }
    }
}
