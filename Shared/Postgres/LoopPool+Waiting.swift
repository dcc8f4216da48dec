internal import EventLoop

extension LoopPool {
    /// Waits for the outcome of a request on any connection; from any thread.
    nonisolated(nonsending) func perform(_ request: Request) async -> Request.Outcome {
        await perform(request) { [self] in submit($0) }
    }

    /// Waits for the outcome of a request that `submit` sends on its way, on the loop; from any thread.
    nonisolated(nonsending) func perform(
        _ request: Request, _ submit: @escaping @Sendable (Request) -> Void
    ) async -> Request.Outcome {
        await withTaskCancellationHandler {
            await performShielded(request, submit)
        } onCancel: {
            loop.execute { [self] in cancel(request) }
        }
    }

    /// The same, but cancelling the task does not end the wait.
    nonisolated(nonsending) func performShielded(
        _ request: Request, _ submit: @escaping @Sendable (Request) -> Void
    ) async -> Request.Outcome {
        await withUnsafeContinuation { continuation in
            onLoop { pool in
                if request.start(continuation, now: pool.loop.now) { submit(request) }
            }
        }
    }

    /// Waits for a connection of its own.
    nonisolated(nonsending) func lease(within budget: Duration) async throws(PostgresError) -> PostgresConnection {
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

    /// Runs `body` on the loop: at once where the caller is on it.
    func onLoop(_ body: @escaping @Sendable (LoopPool) -> Void) {
        if loop.isCurrent { body(self) } else { loop.execute { [self] in body(self) } }
    }
}
