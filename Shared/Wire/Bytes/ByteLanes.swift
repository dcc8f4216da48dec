/// Questions about eight bytes at once. An answer has the top bit set in each byte it is true for, and its lowest set bit
/// is exact; bits above it may be false alarms.
enum ByteLanes {
    static let ones: UInt64 = 0x0101_0101_0101_0101
    static let tops: UInt64 = 0x8080_8080_8080_8080

    @inline(__always)
    static func zero(_ word: UInt64) -> UInt64 {
        (word &- ones) & ~word & tops
    }

    @inline(__always)
    static func equal(_ word: UInt64, to byte: UInt8) -> UInt64 {
        zero(word ^ (ones &* UInt64(byte)))
    }

    @inline(__always)
    static func below32(_ word: UInt64) -> UInt64 {
        (word &- ones &* 0x20) & ~word & tops
    }

    @inline(__always)
    static func notASCII(_ word: UInt64) -> UInt64 {
        word & tops
    }
}
