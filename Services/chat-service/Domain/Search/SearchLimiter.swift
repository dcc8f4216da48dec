import Contract
import Synchronization
import Wire

/// Limits the searches that a user has under way. A search costs far more than any other read.
final class SearchLimiter: Sendable {
    private let limit: Int
    private let running = Mutex<[UserID: Int]>([:])

    init(limit: Int) {
        self.limit = limit
    }

    /// Runs a search; throws if the user has too many under way.
    func run<Result: Sendable>(for user: UserID, _ search: () async throws -> Result) async throws -> Result {
        let isAdmitted = running.withLock { running in
            guard running[user, default: 0] < limit else { return false }
            running[user, default: 0] += 1
            return true
        }
        guard isAdmitted else { throw Failure.tooManyCalls(retryAfter: .seconds(1)) }
        defer {
            running.withLock { running in
                running[user, default: 1] -= 1
                if running[user] == 0 { running[user] = nil }
            }
        }
        return try await search()
    }
}
