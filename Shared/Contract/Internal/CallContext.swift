public import Telemetry

/// Which call the running task serves, so that what it asks of other services can be told apart in their logs; an object,
/// because every call binds it to a task.
///
/// Services set it where a call comes in that has to wait; whatever its handler awaits or starts finds it.
///
/// - Note: `@unchecked Sendable` because nothing of it changes; who inherits from it answers for what they add.
open class CallContext: @unchecked Sendable {
    /// Stands in the logs of all services that the call touches.
    public final let id: RequestID
    /// This service's own step of the trace; nil where who called has none.
    public final let trace: TraceContext?

    public init(id: RequestID, trace: TraceContext? = nil) {
        self.id = id
        self.trace = trace
    }

    /// That of the running task; nil in background work.
    @TaskLocal public static var current: CallContext?
}
