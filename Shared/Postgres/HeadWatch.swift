/// Decides about an abandoned statement: one that the server still executes although no caller waits for it.
///
/// Most abandoned statements end within a grace period, by themselves or by the server's time-out. After the grace period
/// the statement is cancelled. If the server does not answer even then, the connection is given up.
struct HeadWatch {
    enum Action: Equatable {
        /// A caller waits for the statement, or no statement is executed.
        case none
        /// Check again at this time.
        case look(at: UInt64)
        /// Ask the server to cancel the statement, and check again at this time.
        case cancel(lookAt: UInt64)
        /// The server does not answer.
        case giveUp
    }

    /// In nanoseconds, like all times here.
    let grace: UInt64
    let limit: UInt64
    private var since: UInt64?
    private var cancelledAt: UInt64?

    init(grace: UInt64, limit: UInt64) {
        self.grace = grace
        self.limit = limit
    }

    /// The server executes the next statement now.
    mutating func moveOn() {
        (since, cancelledAt) = (nil, nil)
    }

    /// Decides now; to be called when the first statement may have been abandoned, and at the requested times.
    mutating func check(isAbandoned: Bool, now: UInt64) -> Action {
        guard isAbandoned else { return .none }
        let since = self.since ?? now
        self.since = since
        if now < since + grace { return .look(at: since + grace) }
        // The limit counts from the cancellation: it may come late, after this process has stood still.
        let end = (cancelledAt ?? now) + limit - grace
        if cancelledAt == nil {
            cancelledAt = now
            return .cancel(lookAt: end)
        }
        return now < end ? .look(at: end) : .giveUp
    }
}
