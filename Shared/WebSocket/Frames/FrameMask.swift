/// Applies the XOR mask of client payloads (RFC 6455 §5.3), eight bytes at a time.
struct FrameMask {
    /// The four bytes of the key in wire order, rotated so that the next one to use is lowest.
    private var key: UInt32

    /// `key` contains the bytes in wire order, with the first one lowest.
    init(key: UInt32) { self.key = key }

    /// Masks or unmasks in place; the next call continues where this one ended.
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
