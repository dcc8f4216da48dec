/// The XOR that clients lay over their payloads (RFC 6455 §5.3), eight bytes at a time.
struct FrameMask {
    /// The key's four bytes as they came, the next one to be used lowest.
    private var key: UInt32

    /// `key` holds the bytes in wire order, the first one lowest.
    init(key: UInt32) { self.key = key }

    /// Masks or unmasks in place; the next call goes on where this one stopped.
    mutating func apply(to bytes: UnsafeMutableRawBufferPointer) {
        guard let base = bytes.baseAddress else { return }
        let wide = UInt64(key) | UInt64(key) << 32
        var offset = 0
        while offset &+ 8 <= bytes.count {
            let word = (base + offset).loadUnaligned(as: UInt64.self)
            (base + offset).storeBytes(of: word ^ wide, as: UInt64.self)
            offset &+= 8
        }
        while offset < bytes.count {
            let shift = UInt64(offset & 3) &* 8
            bytes[offset] ^= UInt8(truncatingIfNeeded: wide &>> shift)
            offset &+= 1
        }
        let turn = UInt32(bytes.count & 3) &* 8
        if turn != 0 { key = key &>> turn | key &<< (32 &- turn) }
    }
}
