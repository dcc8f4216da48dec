internal import Wire

/// Checks text that arrives in parts with `Span.isUTF8`, and fails with the first byte that makes it invalid.
struct TextChecker {
    /// The first bytes of a character that has not arrived completely.
    private var cut = SIMD4<UInt8>()
    private var cutCount = 0

    /// Whether the text ends with a whole character.
    var isBetweenCharacters: Bool { cutCount == 0 }

    /// Takes the next part; false if the text is not UTF-8.
    mutating func accept(_ part: UnsafeRawBufferPointer) -> Bool {
        var start = 0
        if cutCount > 0 {
            let length = Self.length(of: cut[0])
            while cutCount < length, start < part.count {
                cut[cutCount] = part[start]
                cutCount += 1
                start += 1
            }
            guard cutCount == length else { return isCutValid() }
            guard Self.isUTF8(cut, length) else { return false }
            cutCount = 0
        }
        start = Self.skipASCII(part, from: start)
        let end = part.count - Self.cutCount(at: part[start...])
        let whole = UnsafeRawBufferPointer(rebasing: part[start..<end])
        guard whole.withMemoryRebound(to: UInt8.self, { $0.span.isUTF8 }) else { return false }
        for byte in part[end...] {
            cut[cutCount] = byte
            cutCount += 1
        }
        return isCutValid()
    }

    /// Skips ASCII, which is most of what clients send, eight bytes at a time.
    private static func skipASCII(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var index = start
        while index &+ 8 <= bytes.count,
            bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
        {
            index &+= 8
        }
        return index
    }

    /// Whether some further bytes would make the cut character valid: the smallest or the largest continuation bytes do.
    private func isCutValid() -> Bool {
        guard cutCount > 0 else { return true }
        let length = Self.length(of: cut[0])
        return [0x80, 0xBF].contains { (filler: UInt8) in
            var character = cut
            for index in cutCount..<max(cutCount, length) { character[index] = filler }
            return Self.isUTF8(character, length)
        }
    }

    private static func isUTF8(_ bytes: SIMD4<UInt8>, _ count: Int) -> Bool {
        withUnsafeBytes(of: bytes) { bytes in
            bytes.withMemoryRebound(to: UInt8.self) { UnsafeBufferPointer(rebasing: $0[..<count]).span.isUTF8 }
        }
    }

    /// Bytes of the character that a lead byte begins.
    private static func length(of lead: UInt8) -> Int { lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4 }

    /// Bytes at the end that begin a character and do not complete it.
    private static func cutCount(at bytes: Slice<UnsafeRawBufferPointer>) -> Int {
        for (index, byte) in bytes.suffix(3).reversed().enumerated() where byte >= 0xC0 {
            return length(of: byte) > index + 1 ? index + 1 : 0
        }
        return 0
    }
}
