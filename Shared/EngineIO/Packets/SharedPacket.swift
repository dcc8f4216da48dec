public import WebSocket

/// A text message encoded once for any number of sockets, whatever their transport and version.
///
/// A class, so that handing it to thousands of sockets counts no references.
public final class SharedPacket: Sendable {
    /// What a WebSocket sends.
    public let frame: SharedFrame
    /// What a poll's body is made of.
    let packet: EnginePacket

    /// `text` has to be valid UTF-8; with a `pool`, the frame is compressed as well where that is worth it.
    public init(text: [UInt8], compressingIn pool: CompressionPool? = nil) {
        packet = EnginePacket(.message, Message(.text, text))
        frame = SharedFrame(packet.frame(.v4), compressingIn: pool)
    }
}
