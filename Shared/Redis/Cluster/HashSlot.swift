/// The hash slots of a cluster: each key and each shard channel belongs to one of 16,384.
enum HashSlot {
    static let count = 16_384

    /// CRC16 of the name, or of its first part in braces unless that is empty, modulo the number of slots.
    static func of(_ name: some BidirectionalCollection<UInt8>) -> Int {
        if let open = name.firstIndex(of: UInt8(ascii: "{")) {
            let rest = name[name.index(after: open)...]
            if let close = rest.firstIndex(of: UInt8(ascii: "}")), close != rest.startIndex {
                return Int(checksum(rest[..<close])) % count
            }
        }
        return Int(checksum(name)) % count
    }

    /// CRC16 as XMODEM defines it.
    private static func checksum(_ bytes: some Sequence<UInt8>) -> UInt16 {
        var sum: UInt16 = 0
        for byte in bytes { sum = sum << 8 ^ table[Int(UInt8(truncatingIfNeeded: sum >> 8) ^ byte)] }
        return sum
    }

    private static let table: [UInt16] = (0..<256).map { index in
        var sum = UInt16(index) << 8
        for _ in 0..<8 { sum = sum & 0x8000 == 0 ? sum << 1 : sum << 1 ^ 0x1021 }
        return sum
    }
}
