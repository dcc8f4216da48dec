internal import Contract
internal import EventLoop
internal import HTTP
internal import Telemetry

/// The spans of a call that is traced: its own and, if it came through the API gateway, that of the gateway.
///
/// nginx records no spans, so the service records its span: it has the time at which nginx received the first byte, and ends
/// with the service's reply.
struct CallTrace: Sendable {
    private let gateway: OpenSpan?
    private let own: OpenSpan

    /// The name of nginx in its logs.
    private static let gatewayName = "gateway"

    /// - Parameters:
    ///   - first: the context of the first span, which the tracer has chosen.
    ///   - parent: the caller's step, if it sent one.
    ///   - gatewayStart: when the gateway received the call, in nanoseconds since 1970; nil without a gateway.
    init(
        _ request: Request, to template: String, id: RequestID, as first: TraceContext, below parent: TraceContext?,
        gatewayStart: UInt64? = nil, by tracer: Tracer
    ) {
        let start = TraceSpan.now - min(TraceSpan.now, EventLoop.preciseNow &- request.receivedAt)
        let method = request.method.rawValue
        var own: OpenSpan
        if let gatewayStart {
            var span = TraceSpan(
                method, .server, as: first, below: parent?.spanID, at: min(gatewayStart, start), of: Self.gatewayName)
            span.set("maru.request.id", .text(id.description))
            span.set("http.request.method", .text(method))
            let gateway = tracer.begin(span)
            self.gateway = gateway
            own = gateway.recorder.begin("\(method) \(template)", .server, at: start)
        } else {
            gateway = nil
            own = tracer.begin(
                TraceSpan("\(method) \(template)", .server, as: first, below: parent?.spanID, at: start))
        }
        own.span.set("maru.request.id", .text(id.description))
        own.span.set("http.request.method", .text(method))
        own.span.set("http.route", .text(template))
        self.own = own
    }

    var recorder: SpanRecorder { own.recorder }

    /// Ends the spans of the call.
    func end(_ status: Status, _ code: ErrorCode? = nil) {
        for var open in [own, gateway].compactMap(\.self) {
            open.span.set("http.response.status_code", .number(Int64(status.code)))
            if let code { open.span.set("maru.error.code", .text(code.rawValue)) }
            let hasFailed = status.code >= 500
            if hasFailed { open.span.set("error.type", .text(String(status.code))) }
            open.end(hasFailed: hasFailed)
        }
    }
}
