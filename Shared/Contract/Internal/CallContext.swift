public import Telemetry

/// Which call the running task serves, so that what it asks of other services can be told apart in their logs.
///
/// Services set it where a call comes in; whatever the handler awaits or starts finds it.
public struct CallContext: Sendable {
    /// Stands in the logs of all services that the call touches.
    public let id: RequestID
    /// This service's own step of the trace; nil where who called has none.
    public let trace: TraceContext?

    public init(id: RequestID, trace: TraceContext? = nil) {
        self.id = id
        self.trace = trace
    }

    /// That of the running task; nil in background work.
    @TaskLocal public static var current: CallContext?
}
