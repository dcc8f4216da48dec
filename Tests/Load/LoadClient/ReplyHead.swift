/// What a load program needs of the head of a reply, found byte by byte: what it costs is measured with the servers.
struct ReplyHead {
    let status: Int
    /// Bytes up to the body.
    let size: Int
    let bodySize: Int

    private static let length = Array("\r\ncontent-length:".utf8)

    /// Nil where the head is not complete.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= 12 else { return nil }
        var (matched, length, size) = (0, 0, 0)
        for place in bytes.indices {
            let byte = bytes[place]
            if matched == Self.length.count {
                if byte >= 48, byte <= 57 { length = length * 10 + Int(byte) - 48 }
                if byte == 13 { matched = 1 }
            } else if byte | 0x20 == Self.length[matched] | 0x20 {
                matched += 1
            } else {
                matched = byte == 13 ? 1 : 0
            }
            if byte == 10, place >= 3, bytes[place - 1] == 13, bytes[place - 2] == 10 {
                size = place + 1
                break
            }
        }
        guard size > 0 else { return nil }
        status = bytes[9..<12].reduce(0) { $0 * 10 + Int($1) - 48 }
        self.size = size
        bodySize = length
    }
}
