/// Bytes that were read and not consumed yet. Consuming from the front does not move the rest.
struct UnreadBytes {
    private var bytes: [UInt8] = []
    private var start = 0

    var count: Int { bytes.count - start }
    var isEmpty: Bool { start == bytes.count }

    /// Appends `more`; if most of the array is consumed, its space is reclaimed first.
    mutating func append(_ more: UnsafeRawBufferPointer) {
        if start > bytes.count / 2 {
            bytes.removeFirst(start)
            start = 0
        }
        bytes.append(contentsOf: more)
    }

    /// Appends bytes that arrived later.
    mutating func append(_ more: UnreadBytes) {
        guard !more.isEmpty else { return }
        more.bytes.withUnsafeBytes { append(UnsafeRawBufferPointer(rebasing: $0[more.start...])) }
    }

    func withBytes<Result>(_ body: (RawSpan) -> Result) -> Result {
        bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[start...]).bytes) }
    }

    /// Drops the first `count` bytes; the array is freed with the last of them.
    mutating func consume(_ count: Int) {
        start += count
        if start == bytes.count { self = UnreadBytes() }
    }
}
