import EventLoop
import Foundation
import Telemetry
import TestSupport
import Testing
import Wire

@Suite("Traces") struct TraceTests {
    private let group = EventLoopGroup(count: 1)
    private let metrics: MetricsRegistry
    private let ids: IDSource

    init() {
        metrics = MetricsRegistry(for: group)
        ids = IDSource(for: group)
    }

    private func tracer(rate: Double = 0, asked: Int = 10, waiting: Int = 100) -> Tracer {
        Tracer(Tracer.Limits(rate: rate, asked: asked, waiting: waiting), on: group, metrics: metrics)
    }

    private func parent(_ flags: String, id: String = "4bf92f3577b34da6a3ce929d0e0e4736") -> TraceContext? {
        TraceContext(traceparent: "00-\(id)-00f067aa0ba902b7-\(flags)".utf8.span)
    }

    private func request(_ text: String) throws -> RequestID {
        let id = RequestID(text.utf8.span)
        return try #require(id)
    }

    private func count(_ outcome: String) -> String? {
        String(decoding: metrics.page(), as: UTF8.self).split(separator: "\n")
            .first { $0.hasPrefix("maru_spans_total{outcome=\"\(outcome)\"}") }
            .flatMap { $0.split(separator: " ").last }.map(String.init)
    }

    // MARK: Choosing

    @Test("With a rate of 0, only a call with the sampled flag is traced")
    func flag() throws {
        let tracer = tracer()
        let id = try request("0123456789abcdef0123456789abcdef")
        #expect(tracer.choose(nil, request: id) == nil)
        #expect(tracer.choose(parent("00"), request: id) == nil)
        let chosen = try #require(tracer.choose(parent("01"), request: id))
        #expect(chosen.traceID == parent("01")?.traceID && chosen.isSampled && chosen.spanID != parent("01")?.spanID)
    }

    @Test("Callers begin no more traces in a second than the limit, by their flag or by the choice of a trace id")
    func limit() throws {
        let tracer = tracer(rate: 1, asked: 3)
        let id = try request("0123456789abcdef0123456789abcdef")
        let start = ContinuousClock.now
        var chosen = 0
        for number in 0..<200 where tracer.choose(parent(number % 2 == 0 ? "01" : "00"), request: id) != nil {
            chosen += 1
        }
        // The calls may fall into two seconds, and into more if the machine stands still.
        let seconds = Int((ContinuousClock.now - start).components.seconds)
        #expect((3...3 * (2 + seconds)).contains(chosen))
        let page = String(decoding: metrics.page(), as: UTF8.self)
        #expect(page.contains("maru_traces_refused_total \(200 - chosen)"))
    }

    @Test("The rate chooses that share of request ids, and every process chooses the same ones")
    func rate() throws {
        let (one, other) = (tracer(rate: 0.25), tracer(rate: 0.25))
        var chosen = 0
        for number in 0..<4000 {
            let random = TraceContext(from: ids).traceID.description
            let id = try request(random)
            let context = one.choose(nil, request: id)
            #expect((context == nil) == (other.choose(nil, request: id) == nil), "\(number)")
            guard let context else { continue }
            #expect(context.traceID.description == random && context.isSampled)
            chosen += 1
        }
        #expect((800...1200).contains(chosen))
        #expect(tracer(rate: 1).choose(nil, request: try request("short-id")) != nil)
    }

    @Test("A service follows the choice of the service that calls it")
    func follow() throws {
        let tracer = tracer(rate: 1, asked: 0)
        #expect(tracer.follow(nil) == nil && tracer.follow(parent("00")) == nil)
        #expect(tracer.follow(parent("01"))?.traceID == parent("01")?.traceID)
    }

    // MARK: Recording

    @Test("A full queue drops spans and counts them; sent spans are counted by the answer of the collector")
    func bounded() throws {
        let tracer = tracer(waiting: 5)
        let root = try #require(parent("01"))
        let open = tracer.begin(TraceSpan("GET /", .server, as: root, below: nil))
        for _ in 0..<8 { open.recorder.begin("find user", .client).end() }
        #expect(tracer.take(upTo: 3).count == 3 && tracer.take(upTo: 3).count == 2 && tracer.take(upTo: 3).isEmpty)
        tracer.sent(5, refused: 2)
        #expect(count("dropped") == "3" && count("exported") == "3" && count("failed") == "2")
        open.end()
        #expect(tracer.take(upTo: 3).count == 1)
    }

    @Test("A line that is logged in the task of a call has the ids of the call; a line outside of calls has none")
    func logLines() async throws {
        let lines = LogLines()
        let log = lines.log()
        let call = CallContext(id: try request("request-77"), trace: parent("01"))
        CallContext.$current.withValue(call) { log.info("within") }
        log.info("outside")
        let read = await lines.read()
        #expect(read[0].contains(#""request_id":"request-77","trace_id":"4bf92f3577b34da6a3ce929d0e0e4736""#))
        #expect(!read[1].contains("request_id") && !read[1].contains("trace_id"))
    }

    // MARK: Encoding

    @Test("Any names, texts, numbers and times come back unchanged from the encoding")
    func roundTrip() throws {
        let alphabet = Array("aB\"\\/\u{0}\u{8}\n\u{1F}\u{7F}é새\u{2028}\u{1F600}{}[]:,".unicodeScalars)
        func text() -> String {
            String(String.UnicodeScalarView((0..<Int.random(in: 1...40)).map { _ in alphabet.randomElement()! }))
        }
        for _ in 0..<500 {
            let context = TraceContext(from: ids, isSampled: true)
            let (name, value, number) = (text(), text(), Int64.random(in: .min ... .max))
            let start = UInt64.random(in: 1...UInt64(Int64.max))
            var span = TraceSpan(name, .work, as: context, below: nil, at: start)
            span.set("text", .text(value))
            span.set("number", .number(number))
            let export = SpanExport([span], service: "chat-service", version: "1")
            let json = try JSONValue(parsing: JSONWriter.bytes { $0.value(export) })
            let read = try #require(json["resourceSpans"]?[0]?["scopeSpans"]?[0]?["spans"]?[0])
            #expect(read["name"]?.string == name && read["startTimeUnixNano"]?.string == "\(start)")
            #expect(read["attributes"]?[0]?["value"]?["stringValue"]?.string == value)
            #expect(read["attributes"]?[1]?["value"]?["intValue"]?.string == "\(number)")
            #expect(read["traceId"]?.string == context.traceID.description)
        }
    }

    @Test("Spans are encoded as OTLP in JSON: parents, kinds, times, attributes, links and failures, by service")
    func encoding() throws {
        let tracer = tracer()
        let (root, other) = (
            try #require(parent("01")), try #require(parent("01", id: String(repeating: "ab", count: 16)))
        )
        var gateway = TraceSpan("GET", .server, as: root, below: nil, at: 1_700_000_000_123_456_789, of: "gateway")
        gateway.set("http.request.method", .text("GET \"quoted\" \u{7} 새싹"))
        let open = tracer.begin(gateway)
        var child = open.recorder.begin("lock rooms; add messages", .client, at: 1_700_000_000_123_456_790)
        child.span.set("db.response.returned_rows", .number(.min))
        child.span.link(to: other)
        child.end(hasFailed: true)
        open.end()
        let export = SpanExport(tracer.take(upTo: 10), service: "chat-service", version: "1.0.0")
        let json = try JSONValue(parsing: JSONWriter.bytes { $0.value(export) })

        let resources = try #require(json["resourceSpans"]?.elements.map(Array.init))
        let names = resources.map { $0["resource"]?["attributes"]?[0]?["value"]?["stringValue"]?.string }
        #expect(names == ["chat-service", "gateway"])
        let spans = resources.map { $0["scopeSpans"]?[0]?["spans"]?[0] }
        let (sql, server) = (try #require(spans[0]), try #require(spans[1]))
        #expect(
            server["traceId"]?.string == root.traceID.description && server["spanId"]?.string == root.spanID.description
        )
        #expect(server["parentSpanId"] == nil && server["kind"]?.int == 2 && server["status"] == nil)
        #expect(server["startTimeUnixNano"]?.string == "1700000000123456789")
        #expect(server["attributes"]?[0]?["value"]?["stringValue"]?.string == "GET \"quoted\" \u{7} 새싹")
        #expect(sql["parentSpanId"]?.string == root.spanID.description && sql["kind"]?.int == 3)
        #expect(sql["attributes"]?[0]?["value"]?["intValue"]?.string == "-9223372036854775808")
        #expect(sql["links"]?[0]?["traceId"]?.string == other.traceID.description)
        #expect(sql["status"]?["code"]?.int == 2)
        let (start, end) = (sql["startTimeUnixNano"]?.string, sql["endTimeUnixNano"]?.string)
        #expect(try #require(start.flatMap { UInt64($0) }) <= #require(end.flatMap { UInt64($0) }))
    }
}
