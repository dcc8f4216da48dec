/// A complete message: valid UTF-8 text, or bytes.
public struct Message: Sendable, Equatable {
    /// How the receiver reads the bytes.
    public enum Kind: Sendable {
        case text
        case binary
    }

    public var kind: Kind
    public var bytes: [UInt8]

    /// Text must be valid UTF-8: it is not checked when it is sent.
    public init(_ kind: Kind, _ bytes: [UInt8]) {
        self.kind = kind
        self.bytes = bytes
    }

    /// A text message.
    public static func text(_ string: String) -> Message { Message(.text, Array(string.utf8)) }

    /// A binary message.
    public static func binary(_ bytes: [UInt8]) -> Message { Message(.binary, bytes) }

    var opcode: Opcode { kind == .text ? .text : .binary }
}
