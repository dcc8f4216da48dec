internal import EventLoop

/// A server's settings as sessions need them; times in nanoseconds.
final class EngineTimes: Sendable {
    let pingInterval, pingTimeout, upgradeTimeout, closeTimeout: UInt64
    let outputLimit: Int

    init(_ settings: EngineSettings) {
        pingInterval = settings.pingInterval.wholeNanoseconds
        pingTimeout = settings.pingTimeout.wholeNanoseconds
        upgradeTimeout = settings.upgradeTimeout.wholeNanoseconds
        closeTimeout = settings.closeTimeout.wholeNanoseconds
        outputLimit = settings.outputLimit
    }
}
