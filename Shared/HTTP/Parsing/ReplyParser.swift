/// Reads the head of a reply, with the same rules for fields as requests: for WebSocket handshakes and tunnels, which
/// read replies from a socket. `HTTPClient` leaves this to libcurl.
public enum ReplyParser {
    /// The complete head of a reply.
    public struct Head: Sendable {
        /// 100 ... 599.
        public let status: Status
        /// All fields, in order.
        public let headers: Headers
        /// Bytes of the head, with its empty line.
        public let length: Int
    }

    /// Bytes of a head and number of its fields that are accepted.
    static let largestHead = 16 * 1024
    static let mostFields = 100

    /// Reads a head from the beginning of `bytes`.
    ///
    /// - Returns: nil if the head is not complete; offer it again with more bytes.
    /// - Throws: `Refusal.malformed` or `headersTooLarge`.
    public static func parse(_ bytes: RawSpan) throws(Refusal) -> Head? {
        try bytes.withUnsafeBytes { bytes throws(Refusal) in try parse(bytes) }
    }

    private static func parse(_ bytes: UnsafeRawBufferPointer) throws(Refusal) -> Head? {
        guard let (status, fieldsStart) = try parseStatusLine(bytes) else { return try incomplete(bytes) }
        var headers = Headers()
        var lineStart = fieldsStart
        var count = 0
        while lineStart < bytes.count {
            if bytes[lineStart] == 0x0D {
                guard lineStart + 1 < bytes.count else { break }
                guard bytes[lineStart + 1] == 0x0A else { throw .malformed }
                guard lineStart + 2 <= largestHead else { throw .headersTooLarge }
                return Head(status: status, headers: headers, length: lineStart + 2)
            }
            guard let (field, next) = try FieldLine.parse(bytes, from: lineStart) else { break }
            guard next <= largestHead, count < mostFields else { throw .headersTooLarge }
            headers.append(name: bytes[field.name], value: bytes[field.value])
            count += 1
            lineStart = next
        }
        return try incomplete(bytes)
    }

    private static func incomplete(_ bytes: UnsafeRawBufferPointer) throws(Refusal) -> Head? {
        guard bytes.count <= largestHead else { throw .headersTooLarge }
        return nil
    }

    /// `HTTP/1.1 101 Switching Protocols`, with any reason or none.
    private static func parseStatusLine(_ bytes: UnsafeRawBufferPointer) throws(Refusal) -> (Status, Int)? {
        guard let end = bytes.find(0x0A, from: 0) else {
            guard UnsafeRawBufferPointer(rebasing: bytes.prefix(7)).isPrefix(of: "http/1.") else { throw .malformed }
            return nil
        }
        guard end >= 13, bytes[end - 1] == 0x0D, UnsafeRawBufferPointer(rebasing: bytes[..<7]).is("http/1."),
            bytes[7] == UInt8(ascii: "0") || bytes[7] == UInt8(ascii: "1"), bytes[8] == 0x20,
            bytes[12] == 0x20 || end == 13, bytes[12..<(end - 1)].allSatisfy(Token.isValueByte)
        else { throw .malformed }
        var code: UInt16 = 0
        for byte in bytes[9..<12] {
            let digit = byte &- UInt8(ascii: "0")
            guard digit < 10 else { throw .malformed }
            code = code * 10 + UInt16(digit)
        }
        guard (100...599).contains(code) else { throw .malformed }
        return (Status(code), end + 1)
    }
}

extension UnsafeRawBufferPointer {
    /// Whether the bytes begin `lowercase`, in any case.
    fileprivate func isPrefix(of lowercase: StaticString) -> Bool {
        count <= lowercase.utf8CodeUnitCount
            && equalIgnoringCase(self, UnsafeRawBufferPointer(start: lowercase.utf8Start, count: count))
    }
}
