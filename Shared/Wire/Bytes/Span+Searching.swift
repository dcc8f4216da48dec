internal import Glibc

extension Span<UInt8> {
    @inline(__always)
    func hasSameBytes(as other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        return withUnsafeBytes { bytes in
            other.withUnsafeBytes { others in
                // Most names are this short, and are compared without a call.
                switch bytes.count {
                case 0: true
                case 4..<8: bytes.hasSameEnds(as: others, UInt32.self)
                case 8...16: bytes.hasSameEnds(as: others, UInt64.self)
                default: memcmp(bytes.baseAddress!, others.baseAddress!, bytes.count) == 0
                }
            }
        }
    }

    /// The offset of the first `byte` at or after `start`; nil if there is none.
    @inline(__always)
    func firstOffset(of byte: UInt8, from start: Int = 0) -> Int? {
        precondition(start >= 0 && start <= count)
        guard start < count else { return nil }
        return withUnsafeBytes { bytes in
            let base = bytes.baseAddress!
            return memchr(base + start, Int32(byte), bytes.count - start).map { UnsafeRawPointer($0) - base }
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Whether the first and the last word of the bytes equal those of `other`, which has the same length.
    @inline(__always)
    fileprivate func hasSameEnds<Word: FixedWidthInteger & BitwiseCopyable>(
        as other: UnsafeRawBufferPointer, _ word: Word.Type
    ) -> Bool {
        let last = count &- MemoryLayout<Word>.size
        let start = loadUnaligned(as: word) ^ other.loadUnaligned(as: word)
        let end = loadUnaligned(fromByteOffset: last, as: word) ^ other.loadUnaligned(fromByteOffset: last, as: word)
        return start | end == 0
    }
}
