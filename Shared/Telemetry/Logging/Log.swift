internal import Wire

/// Writes log lines. Each is one JSON object with the time (UTC), the level, the service, the message, the ids of its
/// request and trace, and further fields.
///
///     log.warning("facts are published again", ["stream": .name(stream), "count": .count(facts.count)])
///
/// The message is always text of the source code, and fields hold no personal data; see `LogValue`.
public struct Log: Sendable {
    private let output: LogOutput
    private let service: String
    /// The lowest level that is written.
    public let level: LogLevel
    private var request: RequestID?
    private var trace: TraceContext?

    /// Names and values of further fields, in the order in which they are written.
    public typealias Fields = KeyValuePairs<StaticString, LogValue>

    /// Writes lines of at least `level` to `output`.
    public init(service: String, level: LogLevel = .info, to output: LogOutput) {
        self.service = service
        self.level = level
        self.output = output
    }

    /// The same log, with the ids of one request.
    public func with(request: RequestID?, trace: TraceContext? = nil) -> Log {
        var copy = self
        copy.request = request
        copy.trace = trace
        return copy
    }

    public func debug(_ message: StaticString, _ fields: @autoclosure () -> Fields = [:]) {
        write(.debug, message, fields)
    }

    public func info(_ message: StaticString, _ fields: @autoclosure () -> Fields = [:]) {
        write(.info, message, fields)
    }

    public func warning(_ message: StaticString, _ fields: @autoclosure () -> Fields = [:]) {
        write(.warning, message, fields)
    }

    public func error(_ message: StaticString, _ fields: @autoclosure () -> Fields = [:]) {
        write(.error, message, fields)
    }

    private func write(_ level: LogLevel, _ message: StaticString, _ fields: () -> Fields) {
        guard level >= self.level else { return }
        var json = JSONWriter(capacity: 384)
        json.object { json in
            json.field("time", Timestamp.now)
            json.field("level", level.rawValue)
            json.field("service", service)
            json.field("message", message.description)
            if let request { json.field("request_id", request.description) }
            if let trace {
                json.field("trace_id", trace.traceID.description)
                json.field("span_id", trace.spanID.description)
            }
            for (name, value) in fields() { json.field(name, value) }
        }
        output.write(json.take())
    }
}
