public import Wire

/// Spans as one request to a collector: `ExportTraceServiceRequest` in the JSON encoding of OTLP 1.
///
/// Ids are hexadecimal, and 64-bit numbers are texts, as that encoding requires.
public struct SpanExport: JSONWritable, Sendable {
    private let service: String
    private let version: String
    private let spans: [TraceSpan]

    /// The path of traces below a collector's address.
    public static let path = "/v1/traces"

    /// - Parameter service: the name of the process; spans of another service keep theirs.
    public init(_ spans: [TraceSpan], service: String, version: String) {
        self.spans = spans
        self.service = service
        self.version = version
    }

    public func write(to json: inout JSONWriter) {
        let services = Dictionary(grouping: spans) { $0.service ?? service }
        json.object { json in
            json.array("resourceSpans") { json in
                for (service, spans) in services.sorted(by: { $0.key < $1.key }) {
                    write(spans, of: service, to: &json)
                }
            }
        }
    }

    private func write(_ spans: [TraceSpan], of service: String, to json: inout JSONWriter) {
        json.object { json in
            json.object("resource") { json in
                json.array("attributes") { json in
                    Self.write("service.name", .text(service), to: &json)
                    Self.write("service.namespace", .text("maru"), to: &json)
                    Self.write("service.version", .text(version), to: &json)
                }
            }
            json.array("scopeSpans") { json in
                json.object { json in
                    json.object("scope") { json in
                        json.field("name", "maru")
                        json.field("version", version)
                    }
                    json.array("spans") { json in
                        for span in spans { Self.write(span, to: &json) }
                    }
                }
            }
        }
    }

    private static func write(_ span: TraceSpan, to json: inout JSONWriter) {
        json.object { json in
            write(span.context, to: &json)
            if let parent = span.parent { json.field("parentSpanId", parent.description) }
            json.field("name", span.name)
            json.field("kind", span.kind.rawValue)
            json.field("startTimeUnixNano", String(span.start))
            json.field("endTimeUnixNano", String(span.end))
            json.array("attributes") { json in
                for attribute in span.attributes { write(attribute.name, attribute.value, to: &json) }
            }
            if !span.links.isEmpty {
                json.array("links") { json in
                    for link in span.links { json.object { json in write(link, to: &json) } }
                }
            }
            // 2 is STATUS_CODE_ERROR.
            if span.hasFailed { json.object("status") { $0.field("code", 2) } }
        }
    }

    private static func write(_ context: TraceContext, to json: inout JSONWriter) {
        json.field("traceId", context.traceID.description)
        json.field("spanId", context.spanID.description)
        if let state = context.state { json.field("traceState", state) }
    }

    private static func write(_ name: StaticString, _ value: TraceSpan.Value, to json: inout JSONWriter) {
        json.object { json in
            json.field("key", name.description)
            json.object("value") { json in
                switch value {
                case .text(let text): json.field("stringValue", text)
                case .number(let number): json.field("intValue", String(number))
                }
            }
        }
    }
}
