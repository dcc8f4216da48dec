extension OutputSpan<UInt8> {
    /// Appends all of `source`, for which there must be room.
    @inline(__always)
    mutating func append(copying source: UnsafeBufferPointer<UInt8>) {
        guard let base = source.baseAddress else { return }
        precondition(source.count <= freeCapacity)
        withUnsafeMutableBufferPointer { buffer, initializedCount in
            (buffer.baseAddress! + initializedCount).initialize(from: base, count: source.count)
            initializedCount += source.count
        }
    }
}
