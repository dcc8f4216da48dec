import Contract
import EventLoop
import Synchronization

/// Delays logins after failures, by this instance's counts and the counts that all instances share in Redis.
final class LoginThrottle: Sendable {
    private let backoff = Mutex(LoginBackoff())
    private let shared: LoginFailureStore

    init(shared: LoginFailureStore) { self.shared = shared }

    /// Runs `logIn`, or throws E98 with the time to wait if the account or the address must wait.
    func attempt<Result>(
        _ email: EmailAddress?, from address: String, _ logIn: (_ isKnownPair: Bool) async throws -> Result
    ) async throws -> Result {
        let attempt = LoginAttempt(email, from: address)
        let isKnownPair = try begin(attempt, await shared.history(of: attempt))
        defer { backoff.withLock { $0.ended(attempt) } }
        do {
            let result = try await logIn(isKnownPair)
            backoff.withLock { $0.succeeded(attempt) }
            await shared.succeeded(attempt)
            return result
        } catch let failure as Failure where failure.code == .unknownAccount {
            backoff.withLock { $0.failed(attempt, isKnownPair: isKnownPair, now: EventLoop.preciseNow) }
            await shared.failed(attempt, isKnownPair: isKnownPair)
            throw failure
        }
    }

    /// Whether the owner of the account has logged in from the address before. The work is the same for every account.
    func knows(_ email: EmailAddress, from address: String) async -> Bool {
        let attempt = LoginAttempt(email, from: address)
        let sharedHistory = await shared.history(of: attempt)
        let history = backoff.withLock { $0.history(of: attempt, now: EventLoop.preciseNow) }
        return history.merged(with: sharedHistory).isKnownPair
    }

    /// Returns whether the attempt comes from a known pair of account and address.
    private func begin(_ attempt: LoginAttempt, _ sharedHistory: LoginHistory?) throws(Failure) -> Bool {
        let history = backoff.withLock { backoff in
            let history = backoff.history(of: attempt, now: EventLoop.preciseNow).merged(with: sharedHistory)
            if history.wait == nil { backoff.began(attempt) }
            return history
        }
        if let wait = history.wait { throw .tooManyCalls(retryAfter: wait) }
        return history.isKnownPair
    }
}
