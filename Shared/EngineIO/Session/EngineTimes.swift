internal import EventLoop

/// A server's settings as sessions need them; times in nanoseconds.
final class EngineTimes: Sendable {
    let pingInterval, pingTimeout, upgradeTimeout, closeTimeout: UInt64
    let outputLimit: Int
    /// What is due within so long happens together, so that a loop with many quiet sessions sleeps: 1/64 of the interval
    /// between heartbeats.
    private let coarseness: UInt64
    /// A timer that fires no more than this behind its deadline is in time: the coarseness, and 50 ms for a busy loop. What
    /// fires later tells that the loop was away.
    let lateness: UInt64

    init(_ settings: EngineSettings) {
        pingInterval = settings.pingInterval.wholeNanoseconds
        pingTimeout = settings.pingTimeout.wholeNanoseconds
        upgradeTimeout = settings.upgradeTimeout.wholeNanoseconds
        closeTimeout = settings.closeTimeout.wholeNanoseconds
        outputLimit = settings.outputLimit
        coarseness = max(1, pingInterval / 64)
        lateness = coarseness + 50_000_000
    }

    /// When what is due at `deadline` happens: never before it.
    func meeting(for deadline: UInt64) -> UInt64 {
        let excess = deadline % coarseness
        return excess == 0 ? deadline : deadline - excess + coarseness
    }
}
