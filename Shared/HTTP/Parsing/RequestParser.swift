internal import Glibc

/// Reads request heads by the letter of RFC 9112: whatever two servers could read differently is refused.
///
/// The caller offers all bytes from the head's first one on, again with more behind them while `parse` returns nil; lines
/// that were read before are not read again. Only CRLF ends a line; folded lines, control characters, space before a
/// colon, a second Host or Content-Length, and a length beside a transfer coding are malformed.
struct RequestParser {
    private let limits: RequestLimits
    /// Where the line begins that has not come completely.
    private var lineStart = 0
    /// Up to here there is no line end behind `lineStart`.
    private var searched = 0
    private var isPastRequestLine = false
    private var semantics = HeadSemantics()

    /// What the head said, once `parse` has returned its length.
    private(set) var parts = HeadParts()
    /// Its fields, likewise.
    private(set) var fields: [HeadStorage.Field] = []

    init(limits: RequestLimits) {
        precondition(limits.head <= Int(UInt16.max), "a head is shorter than 64 KiB")
        self.limits = limits
    }

    /// Whether a part of a head has been read.
    var isWithinHead: Bool { searched > 0 }

    /// Moves the fields of the head, of which these are the bytes, to where its request keeps them.
    mutating func fill(_ storage: HeadStorage, from head: UnsafeRawBufferPointer) { storage.fill(head, &fields) }

    /// Forgets the head, for the next one.
    mutating func reset() {
        lineStart = 0
        searched = 0
        isPastRequestLine = false
        semantics = HeadSemantics()
        parts = HeadParts()
        fields.removeAll(keepingCapacity: fields.capacity <= 64)
    }

    /// The length of the head, empty line included; nil while its end has not come.
    mutating func parse(_ bytes: UnsafeRawBufferPointer) throws(Refusal) -> Int? {
        if searched > lineStart {
            guard Self.find(0x0A, in: bytes, from: searched) != nil else { return try wait(bytes) }
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
                // One empty line before the request line is left over from a sloppy client's last body.
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

    /// Reads one field; returns where the next line begins, nil when this one has not come completely.
    @inline(__always)
    private mutating func parseField(_ bytes: UnsafeRawBufferPointer) throws(Refusal) -> Int? {
        let colon = Token.end(in: bytes, from: lineStart)
        guard colon < bytes.count else { return nil }
        // A space before the colon and a folded line both fail here: no token reaches up to the colon.
        guard bytes[colon] == UInt8(ascii: ":"), colon > lineStart else { throw .malformed }
        var start = colon + 1
        while start < bytes.count, Self.isBlank(bytes[start]) { start += 1 }
        var end = FieldValue.end(in: bytes, from: start)
        guard end + 1 < bytes.count else {
            guard end == bytes.count || bytes[end] == 0x0D else { throw .malformed }
            return nil
        }
        guard bytes[end] == 0x0D, bytes[end + 1] == 0x0A else { throw .malformed }
        let next = end + 2
        guard next <= limits.head, fields.count < limits.fields else { throw .headersTooLarge }
        while end > start, Self.isBlank(bytes[end - 1]) { end -= 1 }
        let field = HeadStorage.Field(name: HeadRange(lineStart, colon), value: HeadRange(start, end))
        fields.append(field)
        try semantics.note(field, bytes, &parts)
        return next
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    static func find(_ byte: UInt8, in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard start < bytes.count, let base = bytes.baseAddress else { return nil }
        guard let found = memchr(base + start, Int32(byte), bytes.count - start) else { return nil }
        return UnsafeRawPointer(found) - base
    }
}
