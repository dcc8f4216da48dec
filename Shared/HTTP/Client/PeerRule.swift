/// Decides to which addresses a client may connect, for URLs that strangers choose.
///
/// The rule is asked for the address of each connection, after the name has been resolved, so that no name can lead into the
/// operator's network, also if it resolves differently the next time.
public struct PeerRule: Sendable {
    private let ports: Set<UInt16>
    private let exceptions: [IPNetwork]

    /// - Parameters:
    ///   - ports: the allowed ports.
    ///   - exceptions: networks that are allowed at all ports, although they are not public.
    public init(ports: Set<UInt16>, exceptions: [IPNetwork] = []) {
        self.ports = ports
        self.exceptions = exceptions
    }

    /// Whether a client may connect to the port of an address.
    public func allows(_ address: IPAddress, port: UInt16) -> Bool {
        if exceptions.contains(where: { $0.contains(address) }) { return true }
        return ports.contains(port) && Self.isPublic(address)
    }

    /// Whether the address is one of the public internet.
    public static func isPublic(_ address: IPAddress) -> Bool {
        // All public addresses of IPv6 are in one network. So ::1, mapped IPv4 and NAT64 need no row.
        if address.bytes.count == 16, !global.allSatisfy({ $0.contains(address) }) { return false }
        return !special.contains { $0.contains(address) }
    }

    private static let global = ["2000::/3"].compactMap(IPNetwork.init)

    /// The special networks of IANA's registries.
    private static let special = [
        // This network, private networks, and those between a provider and its customers.
        "0.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10",
        // Loopback and link-local; the latter has the metadata services of clouds.
        "127.0.0.0/8", "169.254.0.0/16",
        // Protocol assignments, documentation, the relays of 6to4, and benchmarks.
        "192.0.0.0/24", "192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "192.88.99.0/24", "198.18.0.0/15",
        // Multicast, reserved addresses and broadcast.
        "224.0.0.0/4", "240.0.0.0/4",
        // Protocol assignments with Teredo, documentation, and 6to4: they hold addresses of IPv4.
        "2001::/23", "2001:db8::/32", "3fff::/20", "2002::/16",
    ].compactMap(IPNetwork.init)
}
