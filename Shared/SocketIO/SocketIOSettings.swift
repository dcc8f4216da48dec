/// The limits of Socket.IO beyond those of Engine.IO.
public struct SocketIOSettings: Sendable {
    /// The limits of packets.
    public var limits = PacketLimits()
    /// Namespaces that a client may join or ask for at once. Default 256.
    public var namespaces = 256
    /// How long a client may take to ask for its first namespace; nil means no limit. Default 45 s.
    public var connectTimeout: Duration? = .seconds(45)

    /// The defaults.
    public init() {}
}
