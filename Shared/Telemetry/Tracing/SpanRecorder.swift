/// Records spans below one step of a trace.
public struct SpanRecorder: Sendable {
    /// The step that causes the spans.
    public let context: TraceContext
    fileprivate let tracer: Tracer

    /// Begins a span; `OpenSpan.end` records it.
    public func begin(_ name: String, _ kind: TraceSpan.Kind, at start: UInt64 = TraceSpan.now) -> OpenSpan {
        OpenSpan(
            TraceSpan(name, kind, as: tracer.child(of: context), below: context.spanID, at: start), recordedBy: tracer)
    }
}

/// A span that has begun. A span that is never ended is not recorded.
public struct OpenSpan: Sendable {
    public var span: TraceSpan
    private let tracer: Tracer

    init(_ span: TraceSpan, recordedBy tracer: Tracer) {
        self.span = span
        self.tracer = tracer
    }

    public var context: TraceContext { span.context }
    /// Records spans below this one.
    public var recorder: SpanRecorder { SpanRecorder(context: span.context, tracer: tracer) }

    /// Ends the span now.
    public func end(hasFailed: Bool = false) {
        var span = span
        span.end = max(span.start, TraceSpan.now)
        span.hasFailed = hasFailed
        tracer.record(span)
    }
}
