internal import Glibc

/// Whether two runs of ASCII of the same length are equal without regard to case.
@inline(__always)
func equalIgnoringCase(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    // Most names arrive in the usual spelling, so equal words of eight bytes are skipped first.
    var same = 0
    while same + 8 <= left.count, EightBytes(left, at: same) == EightBytes(right, at: same) { same += 8 }
    for index in same..<left.count {
        let (a, b) = (left[index], right[index])
        if a != b {
            let folded = a | 0x20
            guard folded == b | 0x20, folded >= UInt8(ascii: "a"), folded <= UInt8(ascii: "z") else { return false }
        }
    }
    return true
}

extension UnsafeRawBufferPointer {
    /// Whether the bytes are `lowercase` in any case.
    @inline(__always)
    func `is`(_ lowercase: StaticString) -> Bool {
        guard count == lowercase.utf8CodeUnitCount else { return false }
        return equalIgnoringCase(self, UnsafeRawBufferPointer(start: lowercase.utf8Start, count: count))
    }

    /// The offset of the first `byte` at or after `start`.
    func find(_ byte: UInt8, from start: Int) -> Int? {
        guard start < count, let baseAddress else { return nil }
        guard let found = memchr(baseAddress + start, Int32(byte), count - start) else { return nil }
        return UnsafeRawPointer(found) - baseAddress
    }

    /// The members of a comma-separated list, without blanks around them.
    var listed: [UnsafeRawBufferPointer] {
        split(separator: UInt8(ascii: ",")).map { part in
            var part = part
            while let first = part.first, first == 0x20 || first == 0x09 { part.removeFirst() }
            while let last = part.last, last == 0x20 || last == 0x09 { part.removeLast() }
            return UnsafeRawBufferPointer(rebasing: part)
        }
    }
}
