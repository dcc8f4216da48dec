internal import Glibc

/// A numeric address: four bytes, or sixteen.
public struct IPAddress: Sendable, Hashable {
    public let bytes: [UInt8]

    /// Nil unless there are 4 or 16 bytes.
    public init?(bytes: [UInt8]) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// Reads `192.0.2.1` or `2001:db8::1`; nil for any other text, such as a name or `127.1`.
    public init?(_ text: String) {
        guard !text.utf8.contains(0) else { return nil }
        var (v4, v6) = (in_addr(), in6_addr())
        if inet_pton(AF_INET, text, &v4) == 1 {
            bytes = withUnsafeBytes(of: v4) { Array($0) }
        } else if inet_pton(AF_INET6, text, &v6) == 1 {
            bytes = withUnsafeBytes(of: v6) { Array($0) }
        } else {
            return nil
        }
    }
}

/// A network of addresses, such as `10.0.0.0/8`.
public struct IPNetwork: Sendable, Hashable {
    private let bytes: [UInt8]
    /// The bits that all its addresses share.
    private let prefix: Int

    /// Reads `10.0.0.0/8`, or an address alone; nil for any other text.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let address = parts.first.flatMap({ IPAddress(String($0)) }) else { return nil }
        let bits = address.bytes.count * 8
        guard parts.count == 1 || parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        let prefix = parts.count == 1 ? bits : Int(parts[1])
        guard let prefix, prefix <= bits else { return nil }
        bytes = address.bytes
        self.prefix = prefix
    }

    public func contains(_ address: IPAddress) -> Bool {
        guard address.bytes.count == bytes.count else { return false }
        let (whole, rest) = prefix.quotientAndRemainder(dividingBy: 8)
        guard address.bytes[..<whole] == bytes[..<whole] else { return false }
        if rest == 0 { return true }
        let mask = UInt8(truncatingIfNeeded: 0xFF00 >> rest)
        return address.bytes[whole] & mask == bytes[whole] & mask
    }
}
