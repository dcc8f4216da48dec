internal import Glibc

/// Reads request heads by the letter of RFC 9112: whatever two servers could read differently is refused.
///
/// The caller offers all bytes from the head's first one on, again with more behind them while `parse` returns nil; what
/// was read before is not read again. Only CRLF ends a line; folded lines, control characters, space before a colon,
/// a second Host or Content-Length, and a length beside a transfer coding are malformed.
struct RequestParser {
    private let limits: RequestLimits
    /// Where the line begins that has not come completely.
    private var lineStart = 0
    /// Up to here there is no line end behind `lineStart`.
    private var searched = 0
    private var isPastRequestLine = false
    private var semantics = HeadSemantics()

    init(limits: RequestLimits) { self.limits = limits }

    /// Whether a part of a head has been read.
    var isWithinHead: Bool { searched > 0 }

    /// Fills `head` and returns how long it is, empty line included; nil while its end has not come.
    mutating func parse(_ bytes: UnsafeRawBufferPointer, into head: RequestHead) throws(Refusal) -> Int? {
        while let lineFeed = Self.find(0x0A, in: bytes, from: searched) {
            guard lineFeed > lineStart, bytes[lineFeed - 1] == 0x0D else { throw .malformed }
            let line = lineStart..<(lineFeed - 1)
            lineStart = lineFeed + 1
            searched = lineStart
            guard lineStart <= limits.head else { throw .headersTooLarge }
            if line.isEmpty {
                // One empty line before the request line is left over from a sloppy client's last body.
                guard isPastRequestLine else {
                    if line.lowerBound == 0 { continue }
                    throw .malformed
                }
                try semantics.finish(head, bytes)
                head.bytes.append(contentsOf: bytes[..<lineStart])
                return endHead()
            }
            if isPastRequestLine {
                try parseField(line, bytes, into: head)
            } else {
                guard line.count <= limits.requestLine else { throw .targetTooLong }
                try RequestLine.parse(line, bytes, into: head, &semantics)
                isPastRequestLine = true
            }
        }
        searched = bytes.count
        try checkUnfinishedLine(bytes)
        return nil
    }

    private mutating func endHead() -> Int {
        let length = lineStart
        self = RequestParser(limits: limits)
        return length
    }

    private func checkUnfinishedLine(_ bytes: UnsafeRawBufferPointer) throws(Refusal) {
        let length = bytes.count - lineStart
        guard length > 0 else { return }
        if isPastRequestLine {
            guard bytes.count <= limits.head else { throw .headersTooLarge }
        } else {
            // A TLS greeting or the like is known at its first byte.
            guard Token.isTokenByte(bytes[lineStart]) || bytes[lineStart] == 0x0D else { throw .malformed }
            guard length <= limits.requestLine else { throw .targetTooLong }
        }
    }

    private mutating func parseField(
        _ line: Range<Int>, _ bytes: UnsafeRawBufferPointer, into head: RequestHead
    ) throws(Refusal) {
        guard head.fields.count < limits.fields else { throw .headersTooLarge }
        guard let colon = Self.find(UInt8(ascii: ":"), in: bytes, from: line.lowerBound), colon < line.upperBound else {
            throw .malformed
        }
        let name = line.lowerBound..<colon
        // A space before the colon and a folded line both fail here: neither begins with a token up to the colon.
        guard Token.isValid(bytes[name]) else { throw .malformed }
        var start = colon + 1
        var end = line.upperBound
        while start < end, Self.isBlank(bytes[start]) { start += 1 }
        while end > start, Self.isBlank(bytes[end - 1]) { end -= 1 }
        for index in start..<end { guard Token.isValueByte(bytes[index]) else { throw .malformed } }
        let field = RequestHead.Field(name: name, value: start..<end)
        head.fields.append(field)
        try semantics.note(field, bytes, in: head)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    static func find(_ byte: UInt8, in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard start < bytes.count, let base = bytes.baseAddress else { return nil }
        guard let found = memchr(base + start, Int32(byte), bytes.count - start) else { return nil }
        return UnsafeRawPointer(found) - base
    }
}
