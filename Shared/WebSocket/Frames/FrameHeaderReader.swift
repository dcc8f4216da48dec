/// Reads frame headers from bytes that may be split anywhere.
struct FrameHeaderReader {
    /// The start of a header whose end has not arrived; no header is longer.
    private var held: InlineArray<14, UInt8> = InlineArray(repeating: 0)
    private var heldCount = 0

    /// Reads the header at `position` and moves `position` past it; nil, with all bytes consumed, if more are needed.
    mutating func next(
        _ bytes: UnsafeRawBufferPointer, from position: inout Int
    ) throws(ProtocolFailure) -> FrameHeader? {
        if heldCount == 0 {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[position...])
            if let found = try FrameHeader.read(rest) {
                position += found.size
                return found.header
            }
        }
        while position < bytes.count {
            held[heldCount] = bytes[position]
            heldCount += 1
            position += 1
            if let header = try readHeld() {
                heldCount = 0
                return header
            }
        }
        return nil
    }

    private func readHeld() throws(ProtocolFailure) -> FrameHeader? {
        let count = heldCount
        return try withUnsafeBytes(of: held) { bytes throws(ProtocolFailure) in
            try FrameHeader.read(UnsafeRawBufferPointer(rebasing: bytes[..<count]))?.header
        }
    }
}
