/// The zlib contexts of one loop: a shared one of each kind, and a limited number that belong to single sockets.
///
/// - Note: Confined to its loop, like everything that uses it.
public final class CompressionPool {
    /// The policy while more sockets may have contexts of their own.
    public let preferredPolicy: DeflatePolicy
    /// The number of sockets that may have contexts of their own. Default 64.
    public let maximumOwnContexts: Int
    private(set) var ownContexts = 0

    /// Decompresses messages that do not refer to earlier ones.
    private(set) lazy var inflater = Inflater(windowBits: 15)
    private var deflaters: [Deflater?] = Array(repeating: nil, count: 16)

    /// Contexts are allocated when they are first used.
    public init(policy: DeflatePolicy = DeflatePolicy(), maximumOwnContexts: Int = 64) {
        preferredPolicy = policy
        self.maximumOwnContexts = maximumOwnContexts
    }

    /// The policy to negotiate now: without own contexts once the limit is reached.
    public var policy: DeflatePolicy {
        guard ownContexts >= maximumOwnContexts else { return preferredPolicy }
        var policy = preferredPolicy
        policy.keepsServerContext = false
        policy.keepsClientContext = false
        return policy
    }

    /// Compresses messages that do not refer to earlier ones, within a window of 2^`windowBits`.
    func deflater(windowBits: Int) -> Deflater {
        if let deflater = deflaters[windowBits] { return deflater }
        let deflater = makeDeflater(windowBits: windowBits)
        deflaters[windowBits] = deflater
        return deflater
    }

    func makeDeflater(windowBits: Int) -> Deflater {
        Deflater(windowBits: windowBits, level: preferredPolicy.level, memoryLevel: preferredPolicy.memoryLevel)
    }

    /// Counts one socket with contexts of its own until it is released.
    final class ContextSlot {
        private let pool: CompressionPool

        init(in pool: CompressionPool) {
            self.pool = pool
            pool.ownContexts += 1
        }

        deinit { pool.ownContexts -= 1 }
    }
}
