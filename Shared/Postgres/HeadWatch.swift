/// Decides what to do about a statement that the server works on and nobody waits for: after a grace most are done,
/// or stopped by the server's own time-out; what is not is cancelled; and where even that brings no answer the
/// connection is given up.
struct HeadWatch {
    enum Action: Equatable {
        /// The statement is waited for, or there is none.
        case none
        /// Look again at this time.
        case look(at: UInt64)
        /// Ask the server to cancel, and look again at this time.
        case cancel(lookAt: UInt64)
        /// The server does not answer.
        case giveUp
    }

    /// Nanoseconds, like all times here.
    let grace: UInt64
    let limit: UInt64
    private var since: UInt64?
    private var isCancelled = false

    init(grace: UInt64, limit: UInt64) {
        self.grace = grace
        self.limit = limit
    }

    /// The server has turned to the next statement.
    mutating func moveOn() {
        since = nil
        isCancelled = false
    }

    /// Call when the head may have been abandoned, and at the times asked for.
    mutating func check(isAbandoned: Bool, now: UInt64) -> Action {
        guard isAbandoned else { return .none }
        let since = self.since ?? now
        self.since = since
        if now >= since + limit { return .giveUp }
        if now < since + grace { return .look(at: since + grace) }
        if isCancelled { return .look(at: since + limit) }
        isCancelled = true
        return .cancel(lookAt: since + limit)
    }
}
