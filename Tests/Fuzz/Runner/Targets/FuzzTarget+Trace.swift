import Telemetry

extension FuzzTarget {
    /// An accepted trace is passed on as the same trace, and nothing in it can break a header or a log line.
    static let trace = FuzzTarget { bytes in
        let half = bytes.count / 2
        guard let context = TraceContext(traceparent: bytes.span.extracting(..<min(bytes.count, 60)), state: bytes.span)
        else { return }
        let sent = context.traceparent
        require(sent.utf8.count == 55, "\(sent)")
        require(TraceContext(traceparent: sent.utf8.span)?.traceID == context.traceID, "the trace has changed")
        require(context.state?.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } ?? true, "the state has invalid characters")
        if let request = RequestID(bytes.span.extracting(half...)) {
            require(request.description.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x22 }, "\(request)")
        }
    }
}
