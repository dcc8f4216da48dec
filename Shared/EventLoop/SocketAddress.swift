internal import CSystem
internal import Glibc

/// The address at which a stream socket listens or connects: numeric IPv4 or IPv6 with a port, or a Unix path.
public struct SocketAddress: Sendable, CustomStringConvertible {
    var raw: cs_address

    init(raw: cs_address) { self.raw = raw }

    /// A numeric address; nil if `ip` is not one. `Resolver` resolves names.
    public init?(ip: String, port: UInt16) {
        var raw = cs_address()
        guard cs_address_ip(ip, port, &raw) == 0 else { return nil }
        self.raw = raw
    }

    /// The address of a Unix socket; nil if the path is longer than the system allows.
    public init?(unixPath: String) {
        var raw = cs_address()
        guard cs_address_unix(unixPath, &raw) == 0 else { return nil }
        self.raw = raw
    }

    /// The port; 0 for a Unix path.
    public var port: UInt16 { withUnsafePointer(to: raw) { cs_address_port($0) } }

    /// The numeric host or the path.
    public var host: String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { text in
            guard withUnsafePointer(to: raw, { cs_address_text($0, text.baseAddress, text.count) }) == 0 else {
                return ""
            }
            return String(cString: text.baseAddress!)
        }
    }

    /// Whether only this machine can connect to it: a loopback address or a Unix path.
    public var isLoopback: Bool {
        let host = host
        return ["127.", "::ffff:127.", "/"].contains(where: host.hasPrefix) || host == "::1"
    }

    public var description: String { port == 0 ? host : "\(host):\(port)" }

    /// The address of a bound descriptor, with the port that the system chose for port 0.
    static func ofSocket(_ descriptor: Int32) -> SocketAddress? {
        var raw = cs_address()
        return cs_local_address(descriptor, &raw) == 0 ? SocketAddress(raw: raw) : nil
    }
}

/// Resolves host names on a blocking pool, because the system's resolver blocks.
public enum Resolver {
    /// All stream addresses of `host`, at most 8, in the system's order of preference; a numeric host is not looked up.
    public static func resolve(_ host: String, port: UInt16, on pool: BlockingPool) async throws -> [SocketAddress] {
        if let numeric = SocketAddress(ip: host, port: port) { return [numeric] }
        return try await pool.run {
            var found = Array(repeating: cs_address(), count: 8)
            let count = found.withUnsafeMutableBufferPointer {
                cs_resolve(host, port, $0.baseAddress, Int32($0.count))
            }
            guard count > 0 else { throw SocketError(operation: "resolve \(host)", code: ENOENT) }
            return found.prefix(Int(count)).map(SocketAddress.init(raw:))
        }
    }
}

/// A failed system call on a socket.
public struct SocketError: Error, CustomStringConvertible {
    /// The failed operation, such as `connect 127.0.0.1:5432`.
    public let operation: String
    /// errno.
    public let code: Int32

    init(operation: String, code: Int32 = errno) {
        self.operation = operation
        self.code = code
    }

    public var description: String { "\(operation): \(String(cString: strerror(code)))" }
}
