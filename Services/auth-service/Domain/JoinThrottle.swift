import Contract
import EventLoop
import ServiceKit
import Synchronization

/// Delays the joins of an address on this instance; in IPv6, of a /64 network.
final class JoinThrottle: Sendable {
    private let backoff: Mutex<JoinBackoff>

    init(_ limits: JoinBackoff.Limits) { backoff = Mutex(JoinBackoff(limits)) }

    /// Counts a join, or throws E98 with the time to wait.
    func admit(_ address: String) throws(Failure) {
        let wait = backoff.withLock { $0.take(AddressGroup.of(address), now: EventLoop.preciseNow) }
        if let wait { throw .tooManyCalls(retryAfter: wait) }
    }
}
