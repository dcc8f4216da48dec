internal import Glibc

extension Span<UInt8> {
    @inline(__always)
    func hasSameBytes(as other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        guard count > 0 else { return true }
        return withUnsafeBytes { bytes in
            other.withUnsafeBytes { memcmp(bytes.baseAddress!, $0.baseAddress!, bytes.count) == 0 }
        }
    }

    /// Where `byte` stands first, at or after `start`.
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
