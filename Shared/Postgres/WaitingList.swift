internal import EventLoop

/// The callers that wait for a connection, in order, each with the timer of its time-out.
struct WaitingList<Waiter: AnyObject> {
    private var waiters = FIFO<(waiter: Waiter, timer: LoopTimer)>()

    var count: Int { waiters.count }
    var isEmpty: Bool { waiters.isEmpty }

    mutating func append(_ waiter: Waiter, _ timer: LoopTimer) { waiters.append((waiter, timer)) }

    mutating func popFirst() -> Waiter? {
        guard let (waiter, timer) = waiters.popFirst() else { return nil }
        timer.cancel()
        return waiter
    }

    mutating func remove(_ waiter: Waiter) {
        waiters.remove { entry in
            if entry.waiter === waiter { entry.timer.cancel() }
            return entry.waiter === waiter
        }
    }
}

/// A transaction that waits for a connection.
///
/// - Note: `@unchecked Sendable` because only the pool's loop uses the mutable state.
final class LeaseRequest: @unchecked Sendable {
    typealias Answer = Result<PostgresConnection, PostgresError>

    let budget: Duration
    private var continuation: UnsafeContinuation<Answer, Never>?
    private var isCancelled = false

    init(budget: Duration) { self.budget = budget }

    /// Stores the waiting caller. If its task was cancelled before, answers at once and returns false.
    func start(_ continuation: UnsafeContinuation<Answer, Never>) -> Bool {
        if isCancelled {
            continuation.resume(returning: .failure(.cancelled))
        } else {
            self.continuation = continuation
        }
        return !isCancelled
    }

    func cancel() {
        isCancelled = true
        answer(.failure(.cancelled))
    }

    /// Resumes the caller, once.
    func answer(_ answer: Answer) {
        continuation?.resume(returning: answer)
        continuation = nil
    }
}
