/// The parts of a reply head that a load program needs. A minimal parser, since its CPU time affects the measurement.
struct ReplyHead {
    let status: Int
    /// The size of the head in bytes.
    let size: Int
    let bodySize: Int

    private static let length = Array("\r\ncontent-length:".utf8)

    /// Nil if the head is incomplete.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= 12 else { return nil }
        var (matched, length, size) = (0, 0, 0)
        for index in bytes.indices {
            let byte = bytes[index]
            if matched == Self.length.count {
                if byte >= 48, byte <= 57 { length = length * 10 + Int(byte) - 48 }
                if byte == 13 { matched = 1 }
            } else if byte | 0x20 == Self.length[matched] | 0x20 {
                matched += 1
            } else {
                matched = byte == 13 ? 1 : 0
            }
            if byte == 10, index >= 3, bytes[index - 1] == 13, bytes[index - 2] == 10 {
                size = index + 1
                break
            }
        }
        guard size > 0 else { return nil }
        status = bytes[9..<12].reduce(0) { $0 * 10 + Int($1) - 48 }
        self.size = size
        bodySize = length
    }
}
