internal import EventLoop
internal import HTTP
internal import Telemetry
internal import Wire

/// Sends the finished spans of the process to the collector in batches, without holding up calls.
///
/// A batch that the collector does not take is lost and counted. While the collector is slow, the queue fills and drops spans.
struct SpanExporter: Sendable {
    let tracer: Tracer
    let http: ProviderHTTP
    /// The collector's URL of traces.
    let url: String
    /// The name of the process.
    let service: String

    static let interval = Duration.seconds(1)
    /// The most spans of a request.
    private static let batch = 512
    private static let deadline = Duration.seconds(20)
    /// For the last spans of a process that stops.
    private static let lastDeadline = Duration.seconds(2)
    /// A collector recognises a repeated span by its id.
    private static let policy = RetryPolicy(
        maximumAttempts: 4, firstWait: .seconds(1), longestWait: .seconds(10), attemptDeadline: .seconds(5))

    /// Sends all spans that wait.
    func run() async { await sendAll(within: Self.deadline, Self.policy) }

    /// Sends the last spans; the collector gets one attempt.
    func finish() async { await sendAll(within: Self.lastDeadline, RetryPolicy(maximumAttempts: 1)) }

    private func sendAll(within deadline: Duration, _ policy: RetryPolicy) async {
        while case let spans = tracer.take(upTo: Self.batch), !spans.isEmpty {
            let refused = await send(spans, within: deadline, policy)
            tracer.sent(spans.count, refused: refused)
            if refused == spans.count { return }
        }
    }

    /// Returns how many spans the collector has not taken.
    private func send(_ spans: [TraceSpan], within deadline: Duration, _ policy: RetryPolicy) async -> Int {
        let export = SpanExport(spans, service: service, version: Build.version)
        var request = HTTPClient.Request(.post, url, body: JSONWriter.bytes(capacity: 64 * 1024) { $0.value(export) })
        request.headers.append(.contentType, "application/json")
        request.deadline = deadline
        request.isIdempotent = true
        guard let reply = try? await http.send(request, retrying: policy), (200..<300).contains(reply.status.code)
        else {
            return spans.count
        }
        let json = try? JSONValue(parsing: reply.body)
        let rejected = json?["partialSuccess"]?["rejectedSpans"]
        return min(spans.count, max(0, rejected?.int ?? rejected?.string.flatMap { Int($0) } ?? 0))
    }
}
