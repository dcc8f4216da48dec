/// The limits of Socket.IO on top of those of Engine.IO.
public struct SocketIOSettings: Sendable {
    /// What a packet may hold.
    public var limits = PacketLimits()
    /// Namespaces that a client may be in at once, or ask for. Default 256.
    public var namespaces = 256
    /// How long a client may take to ask for its first namespace; nil waits for ever. Default 45 s.
    public var connectTimeout: Duration? = .seconds(45)

    /// The defaults.
    public init() {}
}
