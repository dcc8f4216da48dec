internal import EventLoop
internal import WebSocket

/// A server's settings in the form that sessions need; times in nanoseconds.
final class EngineTimes: Sendable {
    let pingInterval, pingTimeout, upgradeTimeout, closeTimeout: UInt64
    let outputLimit: Int
    let rates: ReceiveRates?
    /// Deadlines within this span fire together, so that a loop with many quiet sessions can sleep: 1/64 of the
    /// heartbeat interval.
    private let coarseness: UInt64
    /// A timer that fires at most this late is on time: the coarseness, and 50 ms for a busy loop. A later timer shows
    /// that the loop was blocked.
    let lateness: UInt64

    init(_ settings: EngineSettings) {
        pingInterval = settings.pingInterval.wholeNanoseconds
        pingTimeout = settings.pingTimeout.wholeNanoseconds
        upgradeTimeout = settings.upgradeTimeout.wholeNanoseconds
        closeTimeout = settings.closeTimeout.wholeNanoseconds
        outputLimit = settings.outputLimit
        rates = settings.rates
        coarseness = max(1, pingInterval / 64)
        lateness = coarseness + 50_000_000
    }

    /// When an event that is due at `deadline` fires: never before it.
    func meeting(for deadline: UInt64) -> UInt64 {
        let excess = deadline % coarseness
        return excess == 0 ? deadline : deadline - excess + coarseness
    }
}
