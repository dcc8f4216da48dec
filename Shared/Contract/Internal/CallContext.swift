public import Telemetry

/// The call that the running task serves, so that the logs of other services can name it. It is a class because every
/// call binds it to a task.
///
/// Services set it for each call that has to wait. Everything that the call's handler awaits or starts finds it.
///
/// - Note: `@unchecked Sendable` because its members do not change; a subclass is responsible for its own members.
open class CallContext: @unchecked Sendable {
    /// The request id in the logs of all services that the call reaches.
    public final let id: RequestID
    /// This service's own step of the trace; nil if the caller sent no trace.
    public final let trace: TraceContext?

    public init(id: RequestID, trace: TraceContext? = nil) {
        self.id = id
        self.trace = trace
    }

    /// The context of the running task; nil in background work.
    @TaskLocal public static var current: CallContext?
}
