internal import Glibc
internal import Wire

/// A cache of verified tokens, so that a signature is verified once and not with every request.
///
/// The cache is four-way associative: the last bytes of its signature assign a token to four slots, and a new token replaces
/// the least recently used of them. So two tokens with the same slots do not evict each other with every request. Memory is
/// bounded, and only valid tokens are inserted.
struct TokenCache {
    private struct Slot {
        var hash: UInt64 = 0
        var token: [UInt8] = []
        var identity: Authenticator.Identity?
        /// The cache's clock at the last hit.
        var lastUse: UInt64 = 0
    }

    private var slots: [Slot]
    private var clock: UInt64 = 0

    private static let choices = 4

    /// - Parameter capacity: a power of two, at least four.
    init(capacity: Int) {
        precondition(capacity >= Self.choices && capacity & (capacity - 1) == 0)
        slots = Array(repeating: Slot(), count: capacity)
    }

    /// The content of `token`, if it is cached. The caller must check expiry and revocation.
    mutating func identity(for token: Span<UInt8>) -> Authenticator.Identity? {
        guard let index = slot(of: token, Self.hash(of: token)) else { return nil }
        clock += 1
        slots[index].lastUse = clock
        return slots[index].identity
    }

    /// Keeps the content of `token`, in place of an earlier one: that of a bot's token is asked for again now and then.
    mutating func insert(_ identity: Authenticator.Identity, for token: Span<UInt8>) {
        let hash = Self.hash(of: token)
        let first = firstSlot(of: hash)
        var oldest = first
        for other in first..<first + Self.choices where slots[other].lastUse < slots[oldest].lastUse { oldest = other }
        clock += 1
        slots[slot(of: token, hash) ?? oldest] = Slot(
            hash: hash, token: token.withUnsafeBufferPointer { Array($0) }, identity: identity, lastUse: clock)
    }

    /// The slot that has `token`; nil for none.
    private func slot(of token: Span<UInt8>, _ hash: UInt64) -> Int? {
        let first = firstSlot(of: hash)
        for index in first..<first + Self.choices where slots[index].hash == hash {
            if slots[index].token.count == token.count, slots[index].token.isSame(as: token) { return index }
        }
        return nil
    }

    private func firstSlot(of hash: UInt64) -> Int {
        Int(truncatingIfNeeded: hash ^ (hash >> 32)) & (slots.count - 1) & ~(Self.choices - 1)
    }

    /// FNV over the last bytes: those of a signature are as good as random.
    private static func hash(of token: Span<UInt8>) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for index in max(0, token.count - 12)..<token.count {
            hash = (hash ^ UInt64(token[index])) &* 0x100_0000_01B3
        }
        return hash
    }
}

extension [UInt8] {
    /// Whether the bytes equal those of `other`, which has the same length.
    fileprivate func isSame(as other: Span<UInt8>) -> Bool {
        withUnsafeBytes { mine in
            other.withUnsafeBytes { others in
                guard let mine = mine.baseAddress, let others = others.baseAddress else { return true }
                return memcmp(mine, others, count) == 0
            }
        }
    }
}
