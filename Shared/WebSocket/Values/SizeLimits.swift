/// The largest frames and messages that a peer may send; larger ones end the connection with 1009.
public struct SizeLimits: Sendable {
    /// Payload bytes of one frame as sent. Default 1 MiB.
    public var frame: Int
    /// Bytes of a message with all its fragments, decompressed. Default 1 MiB.
    public var message: Int

    /// Without `frame`, a frame may be as large as a message.
    public init(message: Int = 1 << 20, frame: Int? = nil) {
        self.message = message
        self.frame = frame ?? message
    }

    /// The limits of the compressed form: deflate makes random bytes an eighth longer at worst.
    var compressed: SizeLimits { SizeLimits(message: Self.deflated(message), frame: Self.deflated(frame)) }

    private static func deflated(_ count: Int) -> Int { count > .max / 2 ? count : count + count >> 3 + 64 }
}
