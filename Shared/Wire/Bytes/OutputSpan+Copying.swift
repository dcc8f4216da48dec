extension OutputSpan<UInt8> {
    /// Appends all of `source`; the caller ensures that it fits.
    @inline(__always)
    mutating func append(copying source: Span<UInt8>) {
        guard !source.isEmpty else { return }
        precondition(source.count <= freeCapacity)
        withUnsafeMutableBufferPointer { buffer, initializedCount in
            source.withUnsafeBufferPointer { source in
                (buffer.baseAddress! + initializedCount).initialize(from: source.baseAddress!, count: source.count)
            }
            initializedCount += source.count
        }
    }
}
