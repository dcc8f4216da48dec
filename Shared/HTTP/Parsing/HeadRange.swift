/// The start and end of a part of a head, which is shorter than 64 KiB.
struct HeadRange {
    var start: UInt16
    var end: UInt16

    static let none = HeadRange(0, 0)

    init(_ start: Int, _ end: Int) {
        self.start = UInt16(truncatingIfNeeded: start)
        self.end = UInt16(truncatingIfNeeded: end)
    }

    var count: Int { Int(end &- start) }
    var isEmpty: Bool { start == end }
    var range: Range<Int> { Int(start)..<Int(end) }
}

extension UnsafeRawBufferPointer {
    /// The bytes of a part of the head.
    @inline(__always)
    subscript(_ range: HeadRange) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: self[range.range])
    }
}
