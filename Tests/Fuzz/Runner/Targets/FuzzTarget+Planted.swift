extension FuzzTarget {
    /// A deliberate fault for `run --prove` to find: it reads one byte after the input.
    static let planted = FuzzTarget { bytes in
        guard bytes.count == 8, bytes.starts(with: "no".utf8) else { return }
        let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: bytes.count)
        defer { copy.deallocate() }
        copy.initialize(from: bytes, count: bytes.count)
        require(copy[bytes.count] != bytes[7], "the byte behind the input")
    }
}
