public import EventLoop
internal import Synchronization

/// Chooses the calls to trace, and keeps their finished spans until they are sent to the collector. A process without a collector
/// has none.
///
/// A call that is not traced costs a comparison of its trace id. Nothing waits for the collector: a full queue drops spans.
public final class Tracer: Sendable {
    public struct Limits: Sendable {
        /// The share of calls that are traced, from 0 to 1.
        public var rate: Double
        /// The traces a second that callers may begin.
        public var asked: Int
        /// The finished spans that may wait for the collector.
        public var waiting: Int

        public init(rate: Double, asked: Int, waiting: Int) {
            self.rate = rate
            self.asked = asked
            self.waiting = waiting
        }
    }

    private let ids: IDSource
    private let rate: TraceSampler
    private let asked: Mutex<TraceSampler>
    private let queue: Mutex<SpanQueue>
    private let exported, dropped, failed, refused: Counter

    public init(_ limits: Limits, on loops: EventLoopGroup, metrics: MetricsRegistry) {
        ids = IDSource(for: loops)
        rate = TraceSampler(rate: limits.rate, limit: 0)
        asked = Mutex(TraceSampler(rate: 0, limit: limits.asked))
        queue = Mutex(SpanQueue(limit: limits.waiting))
        func spans(_ outcome: String) -> Counter {
            metrics.counter(
                "maru_spans_total",
                "Spans of traces: taken by the collector, dropped from a full queue, or not taken by the collector.",
                labels: ["outcome": outcome])
        }
        exported = spans("exported")
        dropped = spans("dropped")
        failed = spans("failed")
        refused = metrics.counter(
            "maru_traces_refused_total", "Calls that were denied the trace their caller asked for, at the limit.")
    }

    // MARK: Choosing

    /// The context of the first span of a client's call here; nil for a call that is not traced.
    ///
    /// - Parameter parent: the caller's own step, if it sent one.
    public func choose(_ parent: TraceContext?, request: RequestID) -> TraceContext? {
        guard let parent else {
            let own = TraceContext(from: ids, for: request, isSampled: true)
            return rate.chooses(own.traceID) ? own : nil
        }
        guard parent.isSampled || rate.chooses(parent.traceID) else { return nil }
        guard asked.withLock({ $0.admit(at: EventLoop.preciseNow) }) else {
            refused.increment()
            return nil
        }
        return parent.child(from: ids, isSampled: true)
    }

    /// The context of the first span of a client's call that has no headers, and the id of the call; nil for one that is not
    /// traced.
    public func choose() -> (first: TraceContext, id: RequestID)? {
        let id = RequestID(from: ids)
        return choose(nil, request: id).map { ($0, id) }
    }

    /// The context of the first span of a call of another service, which has chosen; nil for a call that is not traced.
    public func follow(_ parent: TraceContext?) -> TraceContext? {
        guard let parent, parent.isSampled else { return nil }
        return parent.child(from: ids)
    }

    // MARK: Recording

    /// Begins a span with a context of `choose` or `follow`.
    public func begin(_ span: TraceSpan) -> OpenSpan { OpenSpan(span, recordedBy: self) }

    func child(of context: TraceContext) -> TraceContext { context.child(from: ids) }

    func record(_ span: TraceSpan) {
        if !queue.withLock({ $0.add(span) }) { dropped.increment() }
    }

    // MARK: Sending

    /// Removes the oldest finished spans, at most `limit`; the caller reports the outcome to `sent`.
    public func take(upTo limit: Int) -> [TraceSpan] { queue.withLock { $0.take(upTo: limit) } }

    /// Counts spans that were sent, of which the collector has refused some.
    public func sent(_ count: Int, refused: Int) {
        exported.increment(by: UInt64(max(0, count - refused)))
        failed.increment(by: UInt64(max(0, min(refused, count))))
    }
}
