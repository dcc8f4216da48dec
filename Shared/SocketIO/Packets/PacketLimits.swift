/// How much a client's packet may hold; what goes beyond ends the connection.
public struct PacketLimits: Sendable {
    /// Attachments of one packet. Default 10.
    public var attachments = 10
    /// Bytes of all attachments of one packet. Default 1,000,000.
    public var attachmentBytes = 1_000_000
    /// How deep its JSON nests. Default 32.
    public var depth = 32
    /// Bytes of a namespace, with its query. Default 1,024.
    public var namespaceLength = 1024

    /// The defaults.
    public init() {}
}
