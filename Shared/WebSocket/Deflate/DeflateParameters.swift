/// The negotiated parameters of permessage-deflate (RFC 7692 §7.1).
public struct DeflateParameters: Sendable, Equatable {
    /// Whether the server's messages may refer to its earlier ones.
    public var serverKeepsContext = true
    /// Whether the client's messages may refer to its earlier ones.
    public var clientKeepsContext = true
    /// The server's messages refer back at most 2 to this power bytes, 8 to 15.
    public var serverWindowBits = 15
    /// The client's messages refer back at most 2 to this power bytes, 8 to 15.
    public var clientWindowBits = 15

    /// The meaning of `permessage-deflate` without parameters: both sides keep their context, with the largest window.
    public init() {}

    func keepsContext(_ sender: Role) -> Bool { sender == .server ? serverKeepsContext : clientKeepsContext }

    func windowBits(_ sender: Role) -> Int { sender == .server ? serverWindowBits : clientWindowBits }
}
