internal import Wire

/// A request's position in its trace, passed on in `traceparent` (W3C Trace Context level 1).
public struct TraceContext: Sendable, Hashable {
    /// The id of the whole trace, the same in every service.
    public struct TraceID: Sendable, Hashable, CustomStringConvertible {
        let high: UInt64
        let low: UInt64

        public var description: String { hexadecimal(high, low) }
    }

    /// The id of one step of a trace: a request to one service.
    public struct SpanID: Sendable, Hashable, CustomStringConvertible {
        let number: UInt64

        public var description: String { hexadecimal(number) }
    }

    public let traceID: TraceID
    public let spanID: SpanID
    /// Whether the caller records the trace.
    public let isSampled: Bool
    /// The value of `tracestate`, passed on unchanged: data of tracing systems, at most 512 bytes.
    public var state: String?

    /// Starts a trace.
    public init(from source: IDSource, isSampled: Bool = false) {
        traceID = TraceID(high: source.next(), low: source.next())
        spanID = SpanID(number: source.next())
        self.isSampled = isSampled
    }

    /// Starts a trace with the id of a request, if it is 32 hexadecimal digits as nginx makes them; else with a new id.
    init(from source: IDSource, for request: RequestID, isSampled: Bool) {
        let text = request.description.utf8.span
        if text.count == 32, let high = text.hexadecimal(0..<16), let low = text.hexadecimal(16..<32), high | low != 0 {
            traceID = TraceID(high: high, low: low)
        } else {
            traceID = TraceID(high: source.next(), low: source.next())
        }
        spanID = SpanID(number: source.next())
        self.isSampled = isSampled
    }

    private init(traceID: TraceID, spanID: SpanID, isSampled: Bool, state: String?) {
        self.traceID = traceID
        self.spanID = spanID
        self.isSampled = isSampled
        self.state = state
    }

    /// A step within this one, for an outgoing request or for the work on an incoming one.
    public func child(from source: IDSource) -> TraceContext { child(from: source, isSampled: isSampled) }

    /// A step within this one, for which this service decides whether it is recorded.
    public func child(from source: IDSource, isSampled: Bool) -> TraceContext {
        let spanID = SpanID(number: source.next())
        return TraceContext(traceID: traceID, spanID: spanID, isSampled: isSampled, state: state)
    }
}

extension TraceContext {
    private static let length = 55

    /// Parses the value of a `traceparent` header; nil if it is not well-formed, and a new trace should start.
    public init?(traceparent text: Span<UInt8>, state: Span<UInt8>? = nil) {
        // Later versions may append fields after a hyphen; the known fields keep their offsets.
        guard text.count == Self.length || text.count > Self.length && text[Self.length] == UInt8(ascii: "-"),
            let version = text.hexadecimal(0..<2), version != 0xFF, version > 0 || text.count == Self.length,
            text[2] == UInt8(ascii: "-"), text[35] == UInt8(ascii: "-"), text[52] == UInt8(ascii: "-"),
            let high = text.hexadecimal(3..<19), let low = text.hexadecimal(19..<35), high | low != 0,
            let span = text.hexadecimal(36..<52), span != 0, let flags = text.hexadecimal(53..<55)
        else { return nil }
        traceID = TraceID(high: high, low: low)
        spanID = SpanID(number: span)
        isSampled = flags & 1 == 1
        if let state, state.count <= 512, state.isPrintableASCII {
            self.state = state.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// The value of the `traceparent` header of a request.
    public var traceparent: String { "00-\(traceID)-\(spanID)-\(isSampled ? "01" : "00")" }
}

private func hexadecimal(_ numbers: UInt64...) -> String {
    var output = ByteWriter(capacity: 32)
    for number in numbers {
        withUnsafeBytes(of: number.bigEndian) { bytes in
            output.append(hex: Span(_unsafeElements: bytes.bindMemory(to: UInt8.self)))
        }
    }
    return String(decoding: output.bytes, as: UTF8.self)
}

extension Span<UInt8> {
    /// The number in lower-case hexadecimal digits; nil for any other text.
    fileprivate func hexadecimal(_ range: Range<Int>) -> UInt64? {
        var number: UInt64 = 0
        for index in range {
            let byte = self[index]
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): number = number << 4 | UInt64(byte & 15)
            case UInt8(ascii: "a")...UInt8(ascii: "f"): number = number << 4 | UInt64(byte - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        return number
    }

    fileprivate var isPrintableASCII: Bool {
        for index in indices where self[index] < 0x20 || self[index] > 0x7E { return false }
        return true
    }
}
