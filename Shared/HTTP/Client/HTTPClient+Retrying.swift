internal import EventLoop
internal import Wire

extension HTTPClient {
    /// Sends `request`, with the retries that `policy` decides on, all within the request's deadline.
    public func send(
        _ request: Request, retrying policy: RetryPolicy
    ) async throws(Failure) -> Reply {
        let clock = ContinuousClock()
        let end = clock.now + request.deadline
        var attempt = 1
        while true {
            var current = request
            let remaining = clock.now.duration(to: end)
            current.deadline = min(remaining, policy.attemptDeadline ?? remaining)
            let result = await self.result(of: current)
            let decision = policy.decide(
                after: RetryPolicy.Outcome(result), attempt: attempt, isIdempotent: request.isIdempotent,
                remaining: clock.now.duration(to: end))
            guard case .retry(let wait) = decision else { return try result.get() }
            try await pause(wait)
            attempt += 1
        }
    }

    private func result(of request: Request) async -> Result<Reply, Failure> {
        do throws(Failure) { return .success(try await send(request)) } catch { return .failure(error) }
    }

    private func pause(_ wait: Duration) async throws(Failure) {
        do {
            try await group.current.sleep(for: wait)
        } catch {
            throw Failure(kind: .cancelled, detail: "", mayHaveBeenProcessed: true)
        }
    }
}

extension RetryPolicy.Outcome {
    /// The outcome of an attempt, for the policy.
    init(_ result: Result<HTTPClient.Reply, HTTPClient.Failure>) {
        switch result {
        case .success(let reply): self = .replied(reply.status, retryAfter: reply.retryAfter(now: .now))
        case .failure(let failure): self = .failed(failure.kind, mayHaveBeenProcessed: failure.mayHaveBeenProcessed)
        }
    }
}
