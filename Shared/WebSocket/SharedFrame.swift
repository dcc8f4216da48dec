/// A server's message encoded once for any number of sockets; each queues a reference to the same bytes.
public struct SharedFrame: Sendable {
    /// For sockets without permessage-deflate.
    public let plain: [UInt8]
    /// For sockets with it; refers to no other message.
    public let compressed: [UInt8]?
    /// How many bytes the compressed form refers back at most.
    let reach: Int

    /// Encodes a message; with a `pool`, compressed as well where it is long enough for the pool's policy.
    public init(_ message: Message, compressingIn pool: CompressionPool? = nil) {
        plain = FrameEncoding.frame(message.opcode, message.bytes)
        reach = min(message.bytes.count, 1 << Self.windowBits)
        guard let pool, message.bytes.count >= pool.preferredPolicy.minimumSize else {
            compressed = nil
            return
        }
        let payload = pool.deflater(windowBits: Self.windowBits).compress(message.bytes, keepingContext: false)
        compressed = FrameEncoding.frame(message.opcode, payload, isCompressed: true)
    }

    private static let windowBits = 15
}
