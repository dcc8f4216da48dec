import Contract
import EventLoop
import Synchronization

/// Where attempts to log in begin: it knows what this instance has seen, and asks what all have.
final class LoginGate: Sendable {
    private let backoff = Mutex(LoginBackoff())
    private let shared: SharedFailures

    init(shared: SharedFailures) { self.shared = shared }

    /// Runs `logIn` unless the account or the address has to wait: E98 then, with the time.
    func attempt<Result>(
        _ email: EmailAddress?, from address: String, _ logIn: () async throws -> Result
    ) async throws -> Result {
        let attempt = LoginAttempt(email, from: address)
        let isAcquainted = try begin(attempt, await shared.standing(of: attempt))
        defer { backoff.withLock { $0.ended(attempt) } }
        do {
            let result = try await logIn()
            backoff.withLock { $0.succeeded(attempt) }
            await shared.succeeded(attempt)
            return result
        } catch let failure as Failure where failure.code == .unknownAccount {
            backoff.withLock { $0.failed(attempt, isAcquainted: isAcquainted, now: EventLoop.preciseNow) }
            await shared.failed(attempt, isAcquainted: isAcquainted)
            throw failure
        }
    }

    /// Whether the attempt comes from where its owner has come in before.
    private func begin(_ attempt: LoginAttempt, _ known: LoginStanding?) throws(Failure) -> Bool {
        let standing = backoff.withLock { backoff in
            let standing = backoff.standing(of: attempt, now: EventLoop.preciseNow).joined(with: known)
            if standing.wait == nil { backoff.began(attempt) }
            return standing
        }
        if let wait = standing.wait { throw .tooManyCalls(retryAfter: wait) }
        return standing.isAcquainted
    }
}
