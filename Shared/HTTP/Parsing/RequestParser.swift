/// Reads request heads strictly by RFC 9112: input that two servers could read differently is refused.
///
/// The caller offers all bytes of the head so far, and offers them again with more bytes after them while `parse` returns nil;
/// complete lines are not read again. Only CRLF ends a line. Folded lines, control characters, space before a colon, a
/// second Host or Content-Length, and Content-Length beside Transfer-Encoding are malformed.
struct RequestParser {
    private let limits: RequestLimits
    /// The offset of the first line that is not complete.
    private var lineStart = 0
    /// The bytes between `lineStart` and this offset hold no line end.
    private var searched = 0
    private var isPastRequestLine = false
    private var semantics = HeadSemantics()

    /// The parsed head; valid once `parse` has returned its length.
    private(set) var parts = HeadParts()
    /// The parsed fields; valid once `parse` has returned the head's length.
    private(set) var fields: [FieldLine] = []

    private static let usualFields = 16

    init(limits: RequestLimits) {
        precondition(limits.head <= Int(UInt16.max), "a head is shorter than 64 KiB")
        self.limits = limits
    }

    /// Returns the complete head, and gets ready for the next one.
    mutating func takeHead() -> (parts: HeadParts, fields: [FieldLine]) {
        var taken: [FieldLine] = []
        swap(&taken, &fields)
        defer { reset() }
        return (parts, taken)
    }

    private mutating func reset() {
        lineStart = 0
        searched = 0
        isPastRequestLine = false
        semantics = HeadSemantics()
        parts = HeadParts()
    }

    /// Returns the length of the head with its empty line, or nil if the head is not complete.
    mutating func parse(_ bytes: UnsafeRawBufferPointer) throws(Refusal) -> Int? {
        if searched > lineStart {
            guard bytes.find(0x0A, from: searched) != nil else { return try wait(bytes) }
        }
        while lineStart < bytes.count {
            if bytes[lineStart] == 0x0D {
                guard lineStart + 1 < bytes.count else { break }
                guard bytes[lineStart + 1] == 0x0A else { throw .malformed }
                lineStart += 2
                if isPastRequestLine {
                    guard lineStart <= limits.head else { throw .headersTooLarge }
                    try semantics.finish(&parts, bytes)
                    return lineStart
                }
                // Some clients send an empty line after the body of the previous request; one is accepted.
                guard lineStart == 2 else { throw .malformed }
            } else if isPastRequestLine {
                guard let next = try parseField(bytes) else { break }
                lineStart = next
            } else {
                guard let end = try RequestLine.parse(from: lineStart, bytes, &parts, &semantics) else { break }
                guard end - lineStart <= limits.requestLine + 2 else { throw .targetTooLong }
                lineStart = end
                isPastRequestLine = true
            }
        }
        return try wait(bytes)
    }

    private mutating func wait(_ bytes: UnsafeRawBufferPointer) throws(Refusal) -> Int? {
        searched = bytes.count
        if !isPastRequestLine {
            guard bytes.count - lineStart <= limits.requestLine else { throw .targetTooLong }
        }
        guard bytes.count <= limits.head else { throw .headersTooLarge }
        return nil
    }

    /// Returns the offset of the next line, or nil if the field is not complete.
    @inline(__always)
    private mutating func parseField(_ bytes: UnsafeRawBufferPointer) throws(Refusal) -> Int? {
        guard let (field, next) = try FieldLine.parse(bytes, from: lineStart) else { return nil }
        guard next <= limits.head, fields.count < limits.fields else { throw .headersTooLarge }
        if fields.isEmpty { fields.reserveCapacity(Self.usualFields) }
        fields.append(field)
        try semantics.note(field, bytes, &parts)
        return next
    }
}
