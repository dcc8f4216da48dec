/// How much a peer may send at once; what goes beyond ends the connection with 1009.
public struct SizeLimits: Sendable {
    /// Payload bytes of one frame, as sent. Default 1 MiB.
    public var frame: Int
    /// Bytes of a message, all its fragments together, once inflated. Default 1 MiB.
    public var message: Int

    /// Where only `message` is given, a frame may be as large.
    public init(message: Int = 1 << 20, frame: Int? = nil) {
        self.message = message
        self.frame = frame ?? message
    }

    /// What the same may be while compressed: deflate makes noise an eighth longer at worst.
    var compressed: SizeLimits { SizeLimits(message: Self.deflated(message), frame: Self.deflated(frame)) }

    private static func deflated(_ count: Int) -> Int { count > .max / 2 ? count : count + count >> 3 + 64 }
}
