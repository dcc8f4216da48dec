/// Parses the first line of a request: method, target and version, separated by one space each.
enum RequestLine {
    /// Reads the line that begins at `start`.
    ///
    /// - Returns: the offset of the next line; nil if the line is not complete yet.
    static func parse(
        from start: Int, _ bytes: UnsafeRawBufferPointer, _ parts: inout HeadParts, _ semantics: inout HeadSemantics
    ) throws(Refusal) -> Int? {
        var methodEnd = start
        while methodEnd < bytes.count, Token.isTokenByte(bytes[methodEnd]) { methodEnd += 1 }
        guard methodEnd < bytes.count else { return nil }
        guard bytes[methodEnd] == 0x20, methodEnd > start else { throw .malformed }

        var question: Int?
        var targetEnd = endOfPart(in: bytes, from: methodEnd + 1)
        while targetEnd < bytes.count, bytes[targetEnd] == UInt8(ascii: "?") {
            question = question ?? targetEnd
            targetEnd = endOfPart(in: bytes, from: targetEnd + 1)
        }
        guard targetEnd < bytes.count else { return nil }
        guard bytes[targetEnd] == 0x20, targetEnd > methodEnd + 1 else { throw .malformed }

        let versionEnd = targetEnd + 9
        guard versionEnd + 1 < bytes.count else {
            let isLine = bytes[(targetEnd + 1)...].allSatisfy { Token.isValueByte($0) || $0 == 0x0D }
            guard isLine else { throw .malformed }
            return nil
        }
        parts.minorVersion = try minorVersion(UnsafeRawBufferPointer(rebasing: bytes[(targetEnd + 1)..<versionEnd]))
        guard bytes[versionEnd] == 0x0D, bytes[versionEnd + 1] == 0x0A else { throw .malformed }

        // The caller refuses a line that is too long for a `HeadRange`.
        parts.methodToken = HeadRange(start, methodEnd)
        parts.method = Method(token: UnsafeRawBufferPointer(rebasing: bytes[start..<methodEnd]))
        try parseTarget((methodEnd + 1)..<targetEnd, question, bytes, &parts, &semantics)
        return versionEnd + 2
    }

    /// The offset of the first question mark, or of the first byte that no target may hold.
    private static func endOfPart(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var position = start
        while position + 8 <= bytes.count {
            let word = EightBytes(bytes, at: position)
            let found =
                word.below(0x21) | word.equal(to: 0x7F) | word.aboveASCII | word.equal(to: UInt8(ascii: "#"))
                | word.equal(to: UInt8(ascii: "?"))
            if found != 0 { return position + EightBytes.first(found) }
            position += 8
        }
        while position < bytes.count, isInPart(bytes[position]) { position += 1 }
        return position
    }

    private static func isInPart(_ byte: UInt8) -> Bool {
        byte &- 0x21 < 0x5E && byte != UInt8(ascii: "#") && byte != UInt8(ascii: "?")
    }

    private static func minorVersion(_ text: UnsafeRawBufferPointer) throws(Refusal) -> UInt8 {
        guard text[0] == UInt8(ascii: "H"), text[1] == UInt8(ascii: "T"), text[2] == UInt8(ascii: "T"),
            text[3] == UInt8(ascii: "P"), text[4] == UInt8(ascii: "/"), text[6] == UInt8(ascii: ".")
        else { throw .malformed }
        let (major, minor) = (text[5] &- UInt8(ascii: "0"), text[7] &- UInt8(ascii: "0"))
        guard major < 10, minor < 10 else { throw .malformed }
        guard major == 1 else { throw .unsupportedVersion }
        return min(minor, 1)
    }

    private static func parseTarget(
        _ target: Range<Int>, _ question: Int?, _ bytes: UnsafeRawBufferPointer, _ parts: inout HeadParts,
        _ semantics: inout HeadSemantics
    ) throws(Refusal) {
        parts.path = HeadRange(target.lowerBound, question ?? target.upperBound)
        parts.query = question.map { HeadRange($0 + 1, target.upperBound) }
        switch bytes[target.lowerBound] {
        case UInt8(ascii: "/"): return
        case UInt8(ascii: "*"):
            guard target.count == 1, parts.method == .options else { throw .malformed }
        default:
            try parseAbsolute(target, question, bytes, &parts, &semantics)
        }
    }

    /// Parses `http://host:port/path?query`, which a server must accept; Host must name the same host.
    private static func parseAbsolute(
        _ target: Range<Int>, _ question: Int?, _ bytes: UnsafeRawBufferPointer, _ parts: inout HeadParts,
        _ semantics: inout HeadSemantics
    ) throws(Refusal) {
        let text = UnsafeRawBufferPointer(rebasing: bytes[target])
        let scheme: Int
        if UnsafeRawBufferPointer(rebasing: text.prefix(7)).is("http://") {
            scheme = 7
        } else if UnsafeRawBufferPointer(rebasing: text.prefix(8)).is("https://") {
            scheme = 8
        } else {
            throw .malformed
        }
        let start = target.lowerBound + scheme
        let pathEnd = question ?? target.upperBound
        guard start <= pathEnd else { throw .malformed }
        let pathStart = bytes[start..<pathEnd].firstIndex(of: UInt8(ascii: "/")) ?? pathEnd
        semantics.authority = HeadRange(start, pathStart)
        // Without a path, the path is `/`: the range points at the last slash of the scheme.
        parts.path = pathStart == pathEnd ? HeadRange(start - 1, start) : HeadRange(pathStart, pathEnd)
    }
}
