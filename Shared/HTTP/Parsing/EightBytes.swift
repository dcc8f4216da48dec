/// Eight bytes of a text, looked at at once. Each test tells of a byte by its high bit; bytes behind the first that is
/// told of may be told of wrongly, so only the first counts.
struct EightBytes: Equatable {
    private let word: UInt64

    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// The eight bytes from `position` on, which must be there.
    @inline(__always)
    init(_ bytes: UnsafeRawBufferPointer, at position: Int) {
        word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
    }

    /// Which bytes are `byte`.
    @inline(__always)
    func equal(to byte: UInt8) -> UInt64 {
        let difference = word ^ Self.ones &* UInt64(byte)
        return (difference &- Self.ones) & ~difference & Self.highBits
    }

    /// Which bytes are below `byte`, which is ASCII.
    @inline(__always)
    func below(_ byte: UInt8) -> UInt64 { (word &- Self.ones &* UInt64(byte)) & ~word & Self.highBits }

    /// Which bytes are above ASCII.
    var aboveASCII: UInt64 { word & Self.highBits }

    /// Which bytes are neither letters of ASCII nor hyphens.
    var otherThanLetters: UInt64 {
        let folded = (word | Self.ones &* 0x20) & ~Self.highBits
        let fromA = folded &+ Self.ones &* (0x80 - 0x61)
        let beyondZ = folded &+ Self.ones &* (0x80 - 0x7B)
        let letters = fromA & ~beyondZ & ~word
        let hyphen = word ^ Self.ones &* 0x2D
        let hyphens = ~((hyphen & ~Self.highBits) &+ ~Self.highBits | hyphen)
        return ~(letters | hyphens) & Self.highBits
    }

    /// How many bytes stand before the first that `test` tells of, which tells of one at least.
    @inline(__always)
    static func first(_ test: UInt64) -> Int { test.trailingZeroBitCount / 8 }
}
