/// Checks UTF-8 as it arrives, split anywhere; a fault shows at the first byte that no continuation could put right.
struct UTF8Validator {
    /// Continuation bytes that the character under way still needs.
    private var missing: UInt8 = 0
    /// The range of the next continuation byte: narrower than 80–BF right after some lead bytes, which rules out
    /// overlong forms, surrogates and what lies above U+10FFFF.
    private var lowest: UInt8 = 0x80
    private var highest: UInt8 = 0xBF

    /// Whether no character is cut in two here.
    var isBetweenCharacters: Bool { missing == 0 }

    /// Takes the next bytes; false once the text cannot be UTF-8 any more.
    mutating func accept(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        while index < bytes.count {
            if missing == 0 {
                index = Self.skipASCII(bytes, from: index)
                guard index < bytes.count else { break }
                guard begin(bytes[index]) else { return false }
            } else {
                let byte = bytes[index]
                guard byte >= lowest, byte <= highest else { return false }
                missing &-= 1
                (lowest, highest) = (0x80, 0xBF)
            }
            index &+= 1
        }
        return true
    }

    private mutating func begin(_ lead: UInt8) -> Bool {
        switch lead {
        case 0xC2...0xDF: missing = 1
        case 0xE0...0xEF:
            missing = 2
            if lead == 0xE0 { lowest = 0xA0 }
            if lead == 0xED { highest = 0x9F }
        case 0xF0...0xF4:
            missing = 3
            if lead == 0xF0 { lowest = 0x90 }
            if lead == 0xF4 { highest = 0x8F }
        default: return false
        }
        return true
    }

    private static func skipASCII(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var index = start
        while index &+ 8 <= bytes.count,
            bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
        {
            index &+= 8
        }
        while index < bytes.count, bytes[index] < 0x80 { index &+= 1 }
        return index
    }
}
