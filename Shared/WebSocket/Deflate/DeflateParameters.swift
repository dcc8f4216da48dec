/// What both sides have agreed on for permessage-deflate (RFC 7692 §7.1).
public struct DeflateParameters: Sendable, Equatable {
    /// Whether the server's messages may refer to its earlier ones.
    public var serverKeepsContext = true
    /// Whether the client's messages may refer to its earlier ones.
    public var clientKeepsContext = true
    /// How far the server's messages reach back at most: 2 to this power, 8 to 15.
    public var serverWindowBits = 15
    /// How far the client's messages reach back at most: 2 to this power, 8 to 15.
    public var clientWindowBits = 15

    /// What a plain `permessage-deflate` means: both sides keep their context, with the largest window.
    public init() {}

    func keepsContext(_ sender: Role) -> Bool { sender == .server ? serverKeepsContext : clientKeepsContext }

    func windowBits(_ sender: Role) -> Int { sender == .server ? serverWindowBits : clientWindowBits }
}
