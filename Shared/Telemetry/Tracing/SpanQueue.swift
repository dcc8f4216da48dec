/// The finished spans that wait for the collector. A full queue drops further spans.
struct SpanQueue {
    private var spans: [TraceSpan] = []
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    var count: Int { spans.count }

    /// Returns false if the queue is full and the span is dropped.
    mutating func add(_ span: TraceSpan) -> Bool {
        guard spans.count < limit else { return false }
        spans.append(span)
        return true
    }

    /// Removes the oldest spans, at most `limit`.
    mutating func take(upTo limit: Int) -> [TraceSpan] {
        let taken = spans.prefix(limit)
        spans.removeFirst(taken.count)
        return Array(taken)
    }
}
