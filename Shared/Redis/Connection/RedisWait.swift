internal import EventLoop

/// One who waits for something to come about, for a limited time; confined to its loop.
final class RedisWait {
    typealias Continuation = UnsafeContinuation<Result<Void, RedisError>, Never>

    private var continuation: Continuation?
    private var timer: LoopTimer?

    /// Ends by itself after `limit`, with the error that `whenLate` then makes.
    init(
        on loop: EventLoop, within limit: Duration, _ continuation: Continuation, whenLate: @escaping () -> RedisError
    ) {
        self.continuation = continuation
        timer = loop.schedule(after: limit) { [self] in end(.failure(whenLate())) }
    }

    var isOver: Bool { continuation == nil }

    /// Lets the one who waits go on; later calls do nothing.
    func end(_ outcome: Result<Void, RedisError>) {
        timer?.cancel()
        timer = nil
        continuation?.resume(returning: outcome)
        continuation = nil
    }
}
