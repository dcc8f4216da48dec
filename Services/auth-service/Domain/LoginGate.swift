import Contract
import EventLoop
import Synchronization

/// Where attempts to log in begin: it holds the back-off of this instance.
final class LoginGate: Sendable {
    private let backoff = Mutex(LoginBackoff())

    /// Runs `logIn` unless the account or the address has to wait: E98 then, with the time.
    func attempt<Result>(
        _ email: EmailAddress?, from address: String, _ logIn: () async throws -> Result
    ) async throws -> Result {
        let attempt = LoginBackoff.Attempt(account: email?.key, address: address)
        if let wait = backoff.withLock({ $0.wait(of: attempt, now: EventLoop.preciseNow) }) {
            throw Failure.tooManyCalls(retryAfter: wait)
        }
        do {
            let result = try await logIn()
            backoff.withLock { $0.succeeded(attempt) }
            return result
        } catch let failure as Failure where failure.code == .unknownAccount {
            backoff.withLock { $0.failed(attempt, now: EventLoop.preciseNow) }
            throw failure
        }
    }
}
