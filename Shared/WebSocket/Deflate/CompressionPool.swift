/// The zlib contexts of one loop: one shared of each kind, and a bounded number that belong to single sockets.
///
/// - Note: Confined to its loop, like all that uses it.
public final class CompressionPool {
    /// What is negotiated while there is room for sockets with contexts of their own.
    public let preferredPolicy: DeflatePolicy
    /// So many sockets may keep contexts. Default 64.
    public let maximumOwnContexts: Int
    private(set) var ownContexts = 0

    /// Expands any message that refers to no other.
    private(set) lazy var inflater = Inflater(windowBits: 15)
    private var deflaters: [Deflater?] = Array(repeating: nil, count: 16)

    /// Nothing is allocated before it is used.
    public init(policy: DeflatePolicy = DeflatePolicy(), maximumOwnContexts: Int = 64) {
        preferredPolicy = policy
        self.maximumOwnContexts = maximumOwnContexts
    }

    /// What to negotiate now: without contexts of its own once too many sockets have one.
    public var policy: DeflatePolicy {
        guard ownContexts >= maximumOwnContexts else { return preferredPolicy }
        var policy = preferredPolicy
        policy.keepsServerContext = false
        policy.keepsClientContext = false
        return policy
    }

    /// Compresses messages that refer to no other and reach back no farther than 2^`windowBits`.
    func deflater(windowBits: Int) -> Deflater {
        if let deflater = deflaters[windowBits] { return deflater }
        let deflater = makeDeflater(windowBits: windowBits)
        deflaters[windowBits] = deflater
        return deflater
    }

    func makeDeflater(windowBits: Int) -> Deflater {
        Deflater(windowBits: windowBits, level: preferredPolicy.level, memoryLevel: preferredPolicy.memoryLevel)
    }

    /// One socket's place among those with contexts; given back when released.
    final class Place {
        private let pool: CompressionPool

        init(in pool: CompressionPool) {
            self.pool = pool
            pool.ownContexts += 1
        }

        deinit { pool.ownContexts -= 1 }
    }
}
