/// A server's message that is encoded once for many sockets; each socket queues a reference to the same bytes.
public struct SharedFrame: Sendable {
    /// The frame for sockets without permessage-deflate.
    public let plain: [UInt8]
    /// The compressed form refers back at most this many bytes.
    let reach: Int
    private let compression: Compression?

    /// Encodes a message. With a `pool`, a message that is long enough for the pool's policy is also compressed, once, for
    /// the first socket with permessage-deflate; the frame then belongs to the pool's loop.
    public init(_ message: Message, compressingIn pool: CompressionPool? = nil) {
        plain = FrameEncoding.frame(message.opcode, message.bytes)
        reach = min(message.bytes.count, 1 << Self.windowBits)
        guard let pool, message.bytes.count >= pool.preferredPolicy.minimumSize else {
            compression = nil
            return
        }
        compression = Compression(message, in: pool)
    }

    /// The frame for sockets with permessage-deflate; it does not refer to other messages.
    var compressed: [UInt8]? { compression?.frame }

    private static let windowBits = 15

    /// The compressed form, made on first use.
    ///
    /// - Note: `@unchecked Sendable` because it is confined to its pool's loop: only sockets of that loop use it.
    private final class Compression: @unchecked Sendable {
        private let message: Message
        private let pool: CompressionPool
        private(set) lazy var frame: [UInt8] = {
            let payload = pool.deflater(windowBits: windowBits).compress(message.bytes, keepingContext: false)
            return FrameEncoding.frame(message.opcode, payload, isCompressed: true)
        }()

        init(_ message: Message, in pool: CompressionPool) {
            self.message = message
            self.pool = pool
        }
    }
}
