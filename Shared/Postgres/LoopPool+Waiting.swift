internal import EventLoop

extension LoopPool {
    /// Sends a request on any connection or on a leased one and returns its outcome; from any thread.
    func perform(_ request: Request, in lease: Lease? = nil) async -> Request.Outcome {
        await withTaskCancellationHandler {
            await performShielded(request, in: lease)
        } onCancel: {
            loop.execute { [self] in cancel(request) }
        }
    }

    /// Like `perform`, but cancelling the task does not end the wait.
    func performShielded(_ request: Request, in lease: Lease? = nil) async -> Request.Outcome {
        if let begin = configuration.beginTrace { request.trace = begin() }
        return await withUnsafeContinuation { continuation in
            if loop.isCurrent {
                start(request, in: lease, continuation)
            } else {
                loop.execute { [self] in start(request, in: lease, continuation) }
            }
        }
    }

    private func start(
        _ request: Request, in lease: Lease?, _ continuation: UnsafeContinuation<Request.Outcome, Never>
    ) {
        guard request.start(continuation, now: loop.now) else { return }
        if let lease { lease.send(request) } else { submit(request) }
    }

    /// Returns a connection that the caller uses alone, after waiting for a free one.
    func lease(within budget: Duration) async throws(PostgresError) -> PostgresConnection {
        let lease = LeaseRequest(budget: budget)
        let answer = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                onLoop { pool in
                    if lease.start(continuation) { pool.submit(lease) }
                }
            }
        } onCancel: {
            loop.execute { [self] in cancel(lease) }
        }
        return try answer.get()
    }

    /// Runs `body` on the loop; at once if the caller is on it.
    func onLoop(_ body: @escaping @Sendable (LoopPool) -> Void) {
        if loop.isCurrent { body(self) } else { loop.execute { [self] in body(self) } }
    }
}
