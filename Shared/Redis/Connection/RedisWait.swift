internal import EventLoop

/// A wait for a condition, with a time-out; confined to its loop.
final class RedisWait {
    typealias Continuation = UnsafeContinuation<Result<Void, RedisError>, Never>

    private var continuation: Continuation?
    private var timer: LoopTimer?

    /// Ends after `limit` with the error of `whenLate`, unless it has ended before.
    init(
        on loop: EventLoop, within limit: Duration, _ continuation: Continuation, whenLate: @escaping () -> RedisError
    ) {
        self.continuation = continuation
        timer = loop.schedule(after: limit) { [self] in end(.failure(whenLate())) }
    }

    var isOver: Bool { continuation == nil }

    /// Resumes the waiting task; later calls have no effect.
    func end(_ outcome: Result<Void, RedisError>) {
        timer?.cancel()
        timer = nil
        continuation?.resume(returning: outcome)
        continuation = nil
    }
}
