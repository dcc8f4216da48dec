internal import Glibc

/// One step of a trace with its time, as the collector receives it. Names and values are those of the system, never words of users.
public struct TraceSpan: Sendable {
    /// The part that the step has in an exchange, with its number in OTLP.
    public enum Kind: Int, Sendable {
        /// Work within the process.
        case work = 1
        case server, client, producer, consumer
    }

    public enum Value: Sendable, Equatable {
        case text(String)
        case number(Int64)
    }

    /// A value with its name in OpenTelemetry's semantic conventions, or one that begins with `maru.`.
    public struct Attribute: Sendable {
        let name: StaticString
        let value: Value
    }

    public let context: TraceContext
    /// The step that caused this one; nil for the first one of a trace.
    public let parent: TraceContext.SpanID?
    public let name: String
    public let kind: Kind
    /// In nanoseconds since 1970.
    public let start: UInt64
    /// In nanoseconds since 1970, never before the start.
    public internal(set) var end: UInt64
    /// The name of another service if this one records the span in its place.
    public let service: String?
    public private(set) var attributes: [Attribute] = []
    /// Steps of other traces that belong to this one, such as a batch that serves several calls.
    public private(set) var links: [TraceContext] = []
    public internal(set) var hasFailed = false

    public init(
        _ name: String, _ kind: Kind, as context: TraceContext, below parent: TraceContext.SpanID?,
        at start: UInt64 = TraceSpan.now, of service: String? = nil
    ) {
        self.name = name
        self.kind = kind
        self.context = context
        self.parent = parent
        self.start = start
        self.service = service
        end = start
    }

    /// The present in nanoseconds since 1970.
    public static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// Adds an attribute.
    public mutating func set(_ name: StaticString, _ value: Value) {
        attributes.append(Attribute(name: name, value: value))
    }

    public mutating func link(to other: TraceContext) { links.append(other) }
}
