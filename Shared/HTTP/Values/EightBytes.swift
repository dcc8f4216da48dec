/// Eight bytes of a text, tested together.
///
/// Each test sets the high bit of the matching bytes. Bits after the first match may be wrong, so only the first match
/// counts.
struct EightBytes: Equatable {
    private let word: UInt64

    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// Loads eight bytes from `offset` on; the buffer must hold them.
    @inline(__always)
    init(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// Marks the bytes that equal `byte`.
    @inline(__always)
    func equal(to byte: UInt8) -> UInt64 {
        let difference = word ^ Self.ones &* UInt64(byte)
        return (difference &- Self.ones) & ~difference & Self.highBits
    }

    /// Marks the bytes below `byte`, which must be ASCII.
    @inline(__always)
    func below(_ byte: UInt8) -> UInt64 { (word &- Self.ones &* UInt64(byte)) & ~word & Self.highBits }

    /// Marks the bytes above ASCII.
    var aboveASCII: UInt64 { word & Self.highBits }

    /// Marks the bytes that are neither ASCII letters nor hyphens.
    var otherThanLetters: UInt64 {
        let folded = (word | Self.ones &* 0x20) & ~Self.highBits
        let fromA = folded &+ Self.ones &* (0x80 - 0x61)
        let beyondZ = folded &+ Self.ones &* (0x80 - 0x7B)
        let letters = fromA & ~beyondZ & ~word
        let hyphen = word ^ Self.ones &* 0x2D
        let hyphens = ~((hyphen & ~Self.highBits) &+ ~Self.highBits | hyphen)
        return ~(letters | hyphens) & Self.highBits
    }

    /// The offset of the first marked byte; `test` must mark at least one.
    @inline(__always)
    static func first(_ test: UInt64) -> Int { test.trailingZeroBitCount / 8 }
}
