import Contract
import Telemetry

/// The span of a call over a `/me` socket that is traced. It is the parent of the internal call that serves it.
///
/// A call over a socket has no headers, so the rate alone chooses.
struct MeCallTrace: Sendable {
    /// The context of the task that serves the call.
    let context: CallContext
    private let span: OpenSpan

    /// Nil if the call is not traced.
    ///
    /// - Parameter name: of a known event.
    init?(_ name: String, by tracer: Tracer?) {
        guard let tracer, let (first, id) = tracer.choose() else { return nil }
        var span = TraceSpan("\(MeEvent.namespace) \(name)", .server, as: first, below: nil)
        span.set("maru.request.id", .text(id.description))
        let open = tracer.begin(span)
        self.span = open
        context = CallContext(id: id, recorder: open.recorder)
    }

    /// Ends the span with the acknowledgement.
    func end(_ failure: Failure?) {
        var open = span
        if let failure { open.span.set("maru.error.code", .text(failure.code.rawValue)) }
        open.end(hasFailed: (failure?.status ?? 0) >= 500)
    }
}
