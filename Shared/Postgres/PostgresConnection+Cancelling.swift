internal import CPostgres
internal import EventLoop

extension PostgresConnection {
    /// Answers the callers with a passed deadline, and cancels abandoned statements.
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
            if owner?.mayCancelWrites == true || isHeadRead { cancelHead() }
            arm(for: time)
        case .giveUp: close(.noAnswer)
        }
    }

    private var isHeadAbandoned: Bool {
        for case .requests(let group) in inFlight { return group.current.isAnswered }
        return false
    }

    private var isHeadRead: Bool {
        for case .requests(let group) in inFlight { return group.current.steps.allSatisfy(\.statement.mayShareSync) }
        return false
    }

    /// A cancellation can arrive late and hit another statement of the pipeline. The requests in flight are therefore marked
    /// for a restart in that case, and nothing more is sent until the server has received the cancellation. The server may
    /// then still apply it to the next statement, so requests are marked until one more statement has ended.
    private func cancelHead() {
        guard !isCancelling, let ticket = CancelTicket(raw) else { return }
        isCancelling = true
        for case .requests(let group) in inFlight {
            for request in group.requests { request.mayBeHitByCancel = true }
        }
        // A thread of its own: a frozen server does not answer, and would take one thread of the blocking pool after another.
        startDetachedThread(named: "cancel") { [self] in
            ticket.send()
            loop.execute { [self] in
                isCancelling = false
                isCancelDue = true
                if !isClosed { owner?.hasRoom(self) }
            }
        }
    }
}

/// The key for a cancellation on the server, usable from any thread.
///
/// - Note: `@unchecked Sendable` because libpq's PGcancel is made to be used from another thread; it is never changed.
private final class CancelTicket: @unchecked Sendable {
    private let raw: OpaquePointer

    init?(_ connection: OpaquePointer) {
        guard let raw = PQgetCancel(connection) else { return nil }
        self.raw = raw
    }

    deinit { PQfreeCancel(raw) }

    /// Sends the cancellation over a separate connection; blocks until the server has received it.
    func send() {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { message in
            _ = PQcancel(raw, message.baseAddress, Int32(message.count))
        }
    }
}
