/// The call that the running task serves, so that its log lines, its spans and the logs of other services can name it. It is a
/// class because every call binds it to a task.
///
/// Services set it for each call that has to wait. Everything that the call's handler awaits or starts finds it.
///
/// - Note: `@unchecked Sendable` because its members do not change; a subclass is responsible for its own members.
open class CallContext: @unchecked Sendable {
    /// The request id in the logs of all services that the call reaches.
    public final let id: RequestID
    /// This service's own step of the trace; nil if the call has no trace.
    public final let trace: TraceContext?
    /// Records spans below this service's step; nil for a call that is not recorded.
    public final let recorder: SpanRecorder?

    public init(id: RequestID, trace: TraceContext? = nil, recorder: SpanRecorder? = nil) {
        self.id = id
        self.trace = recorder?.context ?? trace
        self.recorder = recorder
    }

    /// The context of the running task; nil in background work.
    @TaskLocal public static var current: CallContext?
}
