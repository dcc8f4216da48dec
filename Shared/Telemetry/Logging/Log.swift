internal import Wire

/// Writes log lines. Each is one JSON object with the time (UTC), the level, the service, the message, the ids of its
/// request and trace, and further fields. The ids are those of the call that the running task serves; `with` names another.
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
        write(level, message) { line in
            for (name, value) in fields() { line.field(name, value) }
        }
    }

    /// Writes a line with the fields that `fields` writes one by one. It costs less than a list of fields, and fields can
    /// be left out.
    public func write(_ level: LogLevel, _ message: StaticString, _ fields: (inout LogLine) -> Void) {
        guard level >= self.level else { return }
        var line = LogLine()
        line.json.beginObject()
        line.json.field("time", Timestamp.now)
        line.json.field("level", level.rawValue)
        line.json.field("service", service)
        line.json.field("message", message.description)
        let call = CallContext.current
        if let request = request ?? call?.id { line.json.field("request_id", request.description) }
        if let trace = request == nil ? call?.trace : trace {
            line.json.field("trace_id", trace.traceID.description)
            line.json.field("span_id", trace.spanID.description)
        }
        fields(&line)
        line.json.endObject()
        output.write(line.json.take())
    }
}

/// The fields of a line that is being written.
public struct LogLine {
    fileprivate var json = JSONWriter(capacity: 512)

    fileprivate init() {}

    /// Appends a field.
    public mutating func field(_ name: StaticString, _ value: LogValue) { json.field(name, value) }
}
