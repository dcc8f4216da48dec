/// When a server came back after a loss, or took the place of another one: some of its data may be missing since then, until all processes
/// have written theirs again. Sans-I/O: times are monotonic nanoseconds.
struct ServerHistory: Equatable {
    private enum State: Equatable {
        /// It was never lost.
        case steady
        /// It cannot be used, or not yet.
        case away
        case returned(at: UInt64)
    }

    private var state = State.steady

    var isAway: Bool { state == .away }

    /// The connection was lost, or could not be opened.
    mutating func lost() { state = .away }

    /// It took the place of another server. It is away until it is connected to.
    mutating func succeeded(at now: UInt64, isServing: Bool) { state = isServing ? .returned(at: now) : .away }

    /// It executes commands from now on. Returns whether it has come back.
    mutating func serves(at now: UInt64) -> Bool {
        guard state != .steady else { return false }
        state = .returned(at: now)
        return true
    }

    /// The time since its return: zero while it is away, nil if it never was.
    func timeSinceReturn(at now: UInt64) -> Duration? {
        switch state {
        case .steady: nil
        case .away: .zero
        case .returned(let time): .nanoseconds(Int64(now - time))
        }
    }
}
