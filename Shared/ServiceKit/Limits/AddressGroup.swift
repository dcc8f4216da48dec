internal import Glibc

/// The addresses that one subscriber can choose from: one in IPv4, a /64 network in IPv6. Limits count them together.
public enum AddressGroup {
    /// The group of `address`: the IPv4 address itself, mapped into IPv6 or not, or the IPv6 /64 network.
    public static func of(_ address: String) -> String {
        guard address.utf8.contains(UInt8(ascii: ":")) else { return address }
        var raw = in6_addr()
        guard inet_pton(AF_INET6, address, &raw) == 1 else { return address }
        let bytes = withUnsafeBytes(of: raw) { Array($0) }
        if bytes[..<10].allSatisfy({ $0 == 0 }), bytes[10] == 0xFF, bytes[11] == 0xFF {
            return bytes[12...].map(String.init).joined(separator: ".")
        }
        let groups = stride(from: 0, to: 8, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
        return groups.map { String($0, radix: 16) }.joined(separator: ":") + "::/64"
    }
}
