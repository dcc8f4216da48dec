public import WebSocket

/// A text message that is encoded once for many sockets of any transport and version.
///
/// It is a class so that handing it to thousands of sockets copies one reference.
public final class SharedPacket: Sendable {
    /// The frame for WebSockets.
    public let frame: SharedFrame
    /// The packet for polls.
    let packet: EnginePacket

    /// `text` must be valid UTF-8. With a `pool`, the frame is also compressed if it is long enough.
    public init(text: [UInt8], compressingIn pool: CompressionPool? = nil) {
        packet = EnginePacket(.message, Message(.text, text))
        frame = SharedFrame(packet.frame(.v4), compressingIn: pool)
    }
}
