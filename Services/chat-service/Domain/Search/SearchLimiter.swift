import Contract
import Synchronization
import Wire

/// Limits the searches that a user has under way, over all instances. A search costs far more than any other read.
///
/// While Redis is away, each instance limits its own searches.
final class SearchLimiter: Sendable {
    private let limit: Int
    private let leases: SearchLeaseStore
    /// The searches on this instance.
    private let running = Mutex<[UserID: Int]>([:])

    init(limit: Int, leases: SearchLeaseStore) {
        self.limit = limit
        self.leases = leases
    }

    /// Runs a search; throws if the user has too many under way. The search no longer counts when it has ended, also if its
    /// client has gone.
    func run<Result: Sendable>(for user: UserID, _ search: () async throws -> Result) async throws -> Result {
        guard begin(for: user) else { throw Failure.tooManyCalls(retryAfter: .seconds(1)) }
        defer { end(for: user) }
        switch await leases.take(for: user, atMost: limit) {
        case .refused: throw Failure.tooManyCalls(retryAfter: .seconds(1))
        case .taken(let lease), .unknown(let lease):
            defer { leases.release(lease) }
            try Task.checkCancellation()
            return try await search()
        }
    }

    private func begin(for user: UserID) -> Bool {
        running.withLock { running in
            guard running[user, default: 0] < limit else { return false }
            running[user, default: 0] += 1
            return true
        }
    }

    private func end(for user: UserID) {
        running.withLock { running in
            running[user, default: 1] -= 1
            if running[user] == 0 { running[user] = nil }
        }
    }
}
