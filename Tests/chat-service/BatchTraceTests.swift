import Contract
import EventLoop
import Telemetry
import Testing

@testable import chat_service

@Suite("The spans of a batch") struct BatchTraceTests {
    private let group = EventLoopGroup(count: 1)
    private let tracer: Tracer

    init() {
        tracer = Tracer(
            Tracer.Limits(rate: 0, asked: 10, waiting: 100), on: group, metrics: MetricsRegistry(for: group))
    }

    /// A call in the trace of this number, which is recorded if its flag says so.
    private func call(_ trace: Int, sampled: Bool = true) throws -> CallContext {
        let text = "00-\(String(repeating: String(trace), count: 32))-00f067aa0ba902b7-\(sampled ? "01" : "00")"
        let parent = TraceContext(traceparent: text.utf8.span)
        let name = "request-\(trace)"
        let id = RequestID(name.utf8.span)
        let open = tracer.follow(parent).map { context in
            tracer.begin(TraceSpan("POST /chats", .server, as: context, below: parent?.spanID))
        }
        return CallContext(id: try #require(id), trace: parent, recorder: open?.recorder)
    }

    @Test(
        "Each traced message of a batch has a span in its own trace; the statements are below the first, the others link to it"
    )
    func spans() throws {
        let calls = [try call(1, sampled: false), try call(2), try call(3)]
        let messages =
            [PendingMessage.sample("no call")]
            + calls.map { call in CallContext.$current.withValue(call) { PendingMessage.sample("of a call") } }
        let trace = try #require(BatchTrace(of: messages))
        #expect(trace.context.id == calls[1].id)
        trace.context.recorder?.begin("add messages", .client).end()
        trace.end(hasFailed: false)

        let spans = tracer.take(upTo: 10)
        #expect(spans.map(\.name) == ["add messages", "commit batch", "commit batch"])
        let commits = spans.dropFirst().map(\.self)
        #expect(commits.map(\.context.traceID) == calls.dropFirst().map { $0.trace?.traceID })
        #expect(commits.map(\.parent) == calls.dropFirst().map { $0.trace?.spanID })
        #expect(spans[0].parent == commits[0].context.spanID && spans[0].context.traceID == commits[0].context.traceID)
        #expect(commits[0].links.isEmpty && commits[1].links == [commits[0].context])
    }

    @Test("A batch without traced messages has no spans, and none of its messages keeps its call")
    func untraced() throws {
        let call = try call(1, sampled: false)
        let message = CallContext.$current.withValue(call) { PendingMessage.sample("of a call") }
        #expect(message.call == nil && BatchTrace(of: [message, .sample("no call")]) == nil)
    }
}
