internal import EventLoop

/// The part of a configuration that every connection needs, with durations in the loop's nanoseconds.
final class ConnectionRules: Sendable {
    let limits: RequestLimits
    let largestBody: Int
    let bodyRate: Int
    let headTime, idleTime, bodyGrace, writeTime, lingerTime: UInt64

    init(_ configuration: ServerConfiguration) {
        limits = configuration.limits
        largestBody = configuration.largestBody
        bodyRate = configuration.bodyRate
        headTime = configuration.headTimeout.wholeNanoseconds
        idleTime = configuration.idleTimeout.wholeNanoseconds
        bodyGrace = configuration.bodyGrace.wholeNanoseconds
        writeTime = configuration.writeTimeout.wholeNanoseconds
        lingerTime = configuration.lingerTimeout.wholeNanoseconds
    }
}
