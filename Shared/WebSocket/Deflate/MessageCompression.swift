/// The permessage-deflate of one socket: uses the loop's shared contexts, or its own if messages refer to earlier ones.
struct MessageCompression {
    let parameters: DeflateParameters
    private let role: Role
    private let pool: CompressionPool
    private let slot: CompressionPool.ContextSlot?
    private var ownDeflater: Deflater?
    private var ownInflater: Inflater?
    private var hasContext = false

    init(_ parameters: DeflateParameters, role: Role, pool: CompressionPool) {
        self.parameters = parameters
        self.role = role
        self.pool = pool
        let keepsAny = parameters.serverKeepsContext || parameters.clientKeepsContext
        slot = keepsAny ? CompressionPool.ContextSlot(in: pool) : nil
    }

    private var peer: Role { role == .server ? .client : .server }

    /// Returns nil if the message is too short to compress.
    mutating func compress(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count >= pool.preferredPolicy.minimumSize else { return nil }
        let windowBits = parameters.windowBits(role)
        guard parameters.keepsContext(role) else {
            return pool.deflater(windowBits: windowBits).compress(bytes, keepingContext: false)
        }
        let deflater = ownDeflater ?? pool.makeDeflater(windowBits: windowBits)
        ownDeflater = deflater
        defer { hasContext = true }
        return deflater.compress(bytes, keepingContext: hasContext)
    }

    /// A shared frame was sent, which the own context does not contain: the next message must not refer back.
    mutating func forgetSent() { hasContext = false }

    mutating func expand(_ bytes: [UInt8], limit: Int) throws(ProtocolFailure) -> [UInt8] {
        guard parameters.keepsContext(peer) else {
            return try pool.inflater.expand(bytes, keepingContext: false, limit: limit)
        }
        // Senders that use zlib and announce a window of 2^8 often use one of 2^9.
        let inflater = ownInflater ?? Inflater(windowBits: max(9, parameters.windowBits(peer)))
        ownInflater = inflater
        return try inflater.expand(bytes, keepingContext: true, limit: limit)
    }
}
