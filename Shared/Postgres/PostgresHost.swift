internal import EventLoop

/// A host of a connection string.
struct PostgresHost: Equatable, CustomStringConvertible {
    /// A name, a numeric address, or the directory of a Unix socket.
    var name: String?
    /// A numeric address that is used instead of the name.
    var address: String?
    var port: String?

    /// The name if it must be resolved; nil for Unix sockets and given addresses.
    var nameToResolve: String? {
        guard address == nil, let name, !name.hasPrefix("/"), !name.hasPrefix("@") else { return nil }
        return name
    }

    var portNumber: UInt16 { port.flatMap { UInt16($0) } ?? 5432 }

    var description: String { "\(name ?? address ?? "local"):\(portNumber)" }
}
