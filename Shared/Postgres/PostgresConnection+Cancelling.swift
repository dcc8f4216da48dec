internal import CPostgres
internal import EventLoop

extension PostgresConnection {
    /// Answers the callers whose deadline has passed and sees to what nobody waits for any more.
    func checkDeadlines() {
        guard !isClosed else { return }
        var next = UInt64.max
        for case .requests(let group) in inFlight {
            for request in group.requests where !request.isAnswered {
                if request.deadline <= loop.now {
                    answer(request, .failed(.timeout))
                } else {
                    next = min(next, request.deadline)
                }
            }
        }
        if next < .max { arm(for: next) }
        checkHead()
    }

    func headMovedOn() {
        head.moveOn()
        checkHead()
    }

    private func checkHead() {
        switch head.check(isAbandoned: isHeadAbandoned, now: loop.now) {
        case .none: break
        case .look(let time): arm(for: time)
        case .cancel(let time):
            cancelHead()
            arm(for: time)
        case .giveUp: close(PostgresError(.connectionLost, message: "the server does not answer"))
        }
    }

    private var isHeadAbandoned: Bool {
        for case .requests(let group) in inFlight { return group.current.isAnswered }
        return false
    }

    /// The cancellation may come late and hit another statement of the pipeline: those under way are marked, to be sent again
    /// if that happens, and nothing more is sent until the server has been told. It may even then act on it with the next
    /// statement only, if that is there before it looks: until one has ended, those that follow are marked as well.
    private func cancelHead() {
        guard !isCancelling, let ticket = CancelTicket(raw) else { return }
        isCancelling = true
        for case .requests(let group) in inFlight {
            for request in group.requests { request.mayBeHitByCancel = true }
        }
        Task.immediate(executorPreference: loop) { [self] in
            try? await blocking.run { ticket.send() }
            isCancelling = false
            isCancelDue = true
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
