/// One `Name: value` line of a head, as ranges of the head's bytes. Requests, replies and handshakes share this parser.
struct FieldLine {
    var name: HeadRange
    var value: HeadRange

    /// Reads the line that begins at `start`.
    ///
    /// - Returns: the line and the offset of the next one; nil if the line is not complete yet.
    @inline(__always)
    static func parse(_ bytes: UnsafeRawBufferPointer, from start: Int) throws(Refusal) -> (FieldLine, next: Int)? {
        let colon = Token.end(in: bytes, from: start)
        guard colon < bytes.count else { return nil }
        // A space before the colon and a folded line both fail here: no token reaches up to the colon.
        guard bytes[colon] == UInt8(ascii: ":"), colon > start else { throw .malformed }
        var valueStart = colon + 1
        while valueStart < bytes.count, isBlank(bytes[valueStart]) { valueStart += 1 }
        var end = FieldValue.end(in: bytes, from: valueStart)
        guard end + 1 < bytes.count else {
            guard end == bytes.count || bytes[end] == 0x0D else { throw .malformed }
            return nil
        }
        guard bytes[end] == 0x0D, bytes[end + 1] == 0x0A else { throw .malformed }
        let next = end + 2
        while end > valueStart, isBlank(bytes[end - 1]) { end -= 1 }
        return (FieldLine(name: HeadRange(start, colon), value: HeadRange(valueStart, end)), next)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
