import Contract
import Telemetry

/// The spans of a batch's commit: one in the trace of each message that is traced. The statements belong to the first one, and the
/// others link to it.
struct BatchTrace {
    private let spans: [OpenSpan]
    /// The context of the batch's statements.
    let context: CallContext

    /// Nil if no message is traced.
    init?(of messages: [PendingMessage]) {
        guard messages.contains(where: { $0.call != nil }) else { return nil }
        var spans: [OpenSpan] = []
        var context: CallContext?
        for call in messages.lazy.compactMap(\.call) {
            guard var open = call.recorder?.begin("commit batch", .work) else { continue }
            open.span.set("maru.batch.messages", .number(Int64(messages.count)))
            if let first = spans.first { open.span.link(to: first.context) }
            context = context ?? CallContext(id: call.id, recorder: open.recorder)
            spans.append(open)
        }
        guard let context else { return nil }
        self.spans = spans
        self.context = context
    }

    func end(hasFailed: Bool) {
        for span in spans { span.end(hasFailed: hasFailed) }
    }
}
