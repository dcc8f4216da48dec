/// A server's message encoded once for any number of sockets; each queues a reference to the same bytes.
public struct SharedFrame: Sendable {
    /// For sockets without permessage-deflate.
    public let plain: [UInt8]
    /// How many bytes the compressed form refers back at most.
    let reach: Int
    private let compression: Compression?

    /// Encodes a message. With a `pool` it is compressed as well where it is long enough for the pool's policy, once, as soon
    /// as a socket with permessage-deflate gets it; the frame then belongs to the pool's loop.
    public init(_ message: Message, compressingIn pool: CompressionPool? = nil) {
        plain = FrameEncoding.frame(message.opcode, message.bytes)
        reach = min(message.bytes.count, 1 << Self.windowBits)
        guard let pool, message.bytes.count >= pool.preferredPolicy.minimumSize else {
            compression = nil
            return
        }
        compression = Compression(message, in: pool)
    }

    /// For sockets with permessage-deflate; refers to no other message.
    var compressed: [UInt8]? { compression?.frame }

    private static let windowBits = 15

    /// The compressed form, made when it is first asked for.
    ///
    /// - Note: `@unchecked Sendable` because it is confined to its pool's loop: only sockets of that loop ask for it.
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
