/// The limits of a client's packet; a packet beyond them ends the connection.
public struct PacketLimits: Sendable {
    /// Attachments of one packet. Default 10.
    public var attachments = 10
    /// Bytes of all attachments of one packet. Default 1,000,000.
    public var attachmentBytes = 1_000_000
    /// The nesting depth of its JSON. Default 32.
    public var depth = 32
    /// Bytes of a namespace with its query. Default 1,024.
    public var namespaceLength = 1024

    /// The defaults.
    public init() {}
}
