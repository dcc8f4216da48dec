/// The first line of a request: method, target and version, each apart by one space.
enum RequestLine {
    static func parse(
        _ line: Range<Int>, _ bytes: UnsafeRawBufferPointer, into head: RequestHead, _ semantics: inout HeadSemantics
    ) throws(Refusal) {
        guard let methodEnd = RequestParser.find(0x20, in: bytes, from: line.lowerBound),
            let targetEnd = RequestParser.find(0x20, in: bytes, from: methodEnd + 1), targetEnd < line.upperBound
        else { throw .malformed }
        head.methodToken = line.lowerBound..<methodEnd
        let token = UnsafeRawBufferPointer(rebasing: bytes[head.methodToken])
        head.method = Method(token: token)
        if head.method == .other { guard Token.isValid(token) else { throw .malformed } }
        head.minorVersion = try minorVersion(UnsafeRawBufferPointer(rebasing: bytes[(targetEnd + 1)..<line.upperBound]))
        try parseTarget((methodEnd + 1)..<targetEnd, bytes, into: head, &semantics)
    }

    private static func minorVersion(_ text: UnsafeRawBufferPointer) throws(Refusal) -> UInt8 {
        guard text.count == 8, text[..<5].elementsEqual("HTTP/".utf8), text[6] == UInt8(ascii: ".") else {
            throw .malformed
        }
        let (major, minor) = (text[5] &- UInt8(ascii: "0"), text[7] &- UInt8(ascii: "0"))
        guard major < 10, minor < 10 else { throw .malformed }
        guard major == 1 else { throw .unsupportedVersion }
        return min(minor, 1)
    }

    private static func parseTarget(
        _ target: Range<Int>, _ bytes: UnsafeRawBufferPointer, into head: RequestHead, _ semantics: inout HeadSemantics
    ) throws(Refusal) {
        guard !target.isEmpty else { throw .malformed }
        for index in target {
            let byte = bytes[index]
            guard byte > 0x20, byte < 0x7F, byte != UInt8(ascii: "#") else { throw .malformed }
        }
        switch bytes[target.lowerBound] {
        case UInt8(ascii: "/"):
            splitQuery(target, bytes, into: head)
        case UInt8(ascii: "*"):
            guard target.count == 1, head.method == .options else { throw .malformed }
            head.path = target
        default:
            try parseAbsolute(target, bytes, into: head, &semantics)
        }
    }

    /// `http://host:port/path?query`, which a server must accept; Host has to say the same.
    private static func parseAbsolute(
        _ target: Range<Int>, _ bytes: UnsafeRawBufferPointer, into head: RequestHead, _ semantics: inout HeadSemantics
    ) throws(Refusal) {
        let text = UnsafeRawBufferPointer(rebasing: bytes[target])
        let scheme = [StaticString("http://"), "https://"].first { scheme in
            scheme.withUTF8Buffer {
                text.count > $0.count
                    && equalIgnoringCase(
                        UnsafeRawBufferPointer($0), UnsafeRawBufferPointer(rebasing: text[..<$0.count]))
            }
        }
        guard let scheme else { throw .malformed }
        let start = target.lowerBound + scheme.utf8CodeUnitCount
        let end = bytes[start..<target.upperBound].firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }
        let authority = start..<(end ?? target.upperBound)
        semantics.authority = authority
        splitQuery(authority.upperBound..<target.upperBound, bytes, into: head)
        // Without a path it is `/`: the scheme's own last slash stands for it.
        if head.path.isEmpty { head.path = (start - 1)..<start }
    }

    private static func splitQuery(_ target: Range<Int>, _ bytes: UnsafeRawBufferPointer, into head: RequestHead) {
        if let mark = RequestParser.find(UInt8(ascii: "?"), in: bytes, from: target.lowerBound),
            mark < target.upperBound
        {
            head.path = target.lowerBound..<mark
            head.query = (mark + 1)..<target.upperBound
        } else {
            head.path = target
        }
    }
}
