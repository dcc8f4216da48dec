internal import CPostgres
internal import EventLoop

extension PostgresConnection {
    /// Answers the callers whose deadline has passed and sees to what nobody waits for any more.
    func checkDeadlines() {
        guard !isClosed else { return }
        var next = UInt64.max
        let now = loop.now
        inFlight.forEach { entry in
            guard case .request(let request) = entry, !request.isAnswered else { return }
            if request.deadline <= now {
                answer(request, .failed(.timeout))
            } else {
                next = min(next, request.deadline)
            }
        }
        if next < .max { arm(for: next) }
        checkAbandonedHead()
    }

    func headChanged(from entry: InFlight) {
        guard case .request = entry, abandonedSince != nil || firstRequest?.isAnswered == true else { return }
        abandonedSince = nil
        isHeadCancelled = false
        checkAbandonedHead()
    }

    private var firstRequest: Request? {
        var found: Request?
        inFlight.forEach { entry in
            if found == nil, case .request(let request) = entry { found = request }
        }
        return found
    }

    /// After a grace, most statements are done or stopped by the server's own time-out; what is not is cancelled; and
    /// where even that brings no answer, the connection is given up.
    private func checkAbandonedHead() {
        guard firstRequest?.isAnswered == true else { return }
        let since = abandonedSince ?? loop.now
        abandonedSince = since
        let cancelAt = since &+ configuration.cancelGrace.wholeNanoseconds
        let stalledAt = since &+ configuration.stallLimit.wholeNanoseconds
        if loop.now >= stalledAt {
            close(PostgresError(.connectionLost, message: "the server does not answer"))
        } else if loop.now < cancelAt {
            arm(for: cancelAt)
        } else {
            if !isHeadCancelled { cancelHead() }
            arm(for: stalledAt)
        }
    }

    private func cancelHead() {
        guard !isCancelling, let ticket = CancelTicket(raw) else { return }
        isCancelling = true
        isHeadCancelled = true
        inFlight.forEach { entry in
            if case .request(let request) = entry { request.mayBeHitByCancel = true }
        }
        Task.immediate(executorPreference: loop) { [self] in
            try? await blocking.run { ticket.send() }
            isCancelling = false
            if !isClosed { owner?.hasRoom(self) }
        }
    }
}

/// What it takes to cancel on the server, from any thread.
///
/// - Note: `@unchecked Sendable` because libpq's PGcancel is made to be used from another thread; it is never changed.
private final class CancelTicket: @unchecked Sendable {
    private let raw: OpaquePointer

    init?(_ connection: OpaquePointer) {
        guard let raw = PQgetCancel(connection) else { return nil }
        self.raw = raw
    }

    deinit { PQfreeCancel(raw) }

    /// Asks over a connection of its own; blocks until the server has taken note.
    func send() {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { message in
            _ = PQcancel(raw, message.baseAddress, Int32(message.count))
        }
    }
}
