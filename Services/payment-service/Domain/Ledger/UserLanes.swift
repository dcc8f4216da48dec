import Contract
import EventLoop
import Wire

/// Lets one call a user at a time through on each loop, so that many calls of one user wait here for each other instead
/// of each holding a database connection while it waits for the user's lock.
struct UserLanes: Sendable {
    private let lanes: LoopLocal<Lane>

    /// So many calls of one user wait on a loop; more are refused.
    static let limit = 256

    init(_ loops: EventLoopGroup) {
        lanes = LoopLocal(loops) { _ in Lane() }
    }

    /// Runs `body` when no other call of `user` runs on this loop.
    ///
    /// - Throws: `Failure.overloaded` where too many wait, else what `body` throws.
    func run<Value>(
        _ user: UserID, _ body: () async throws -> Value
    ) async throws -> Value {
        let lane = lanes.current
        guard await lane.enter(user) else { throw Failure.overloaded }
        defer { lane.leave(user) }
        return try await body()
    }

    /// The lanes of one loop.
    ///
    /// - Note: `@unchecked Sendable` because it is confined to its loop, whose own code alone reaches it.
    private final class Lane: @unchecked Sendable {
        /// Who waits behind the call that runs; no entry where none does.
        private var waiting: [UserID: [UnsafeContinuation<Void, Never>]] = [:]

        func enter(_ user: UserID) async -> Bool {
            guard let line = waiting[user] else {
                waiting[user] = []
                return true
            }
            guard line.count < UserLanes.limit else { return false }
            await withUnsafeContinuation { waiting[user, default: []].append($0) }
            return true
        }

        func leave(_ user: UserID) {
            guard var line = waiting[user] else { return }
            guard !line.isEmpty else {
                waiting[user] = nil
                return
            }
            let next = line.removeFirst()
            waiting[user] = line
            next.resume()
        }
    }
}
