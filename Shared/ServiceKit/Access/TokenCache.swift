internal import Glibc
internal import Wire

/// Tokens whose signature has been checked, so that it is checked once and not with every request.
///
/// A token has a choice of four slots, by its signature's last bytes, and takes the one that was not asked for longest:
/// two tokens that meet do not drive each other out with every request, which would cost a signature each time. Memory
/// is bounded, and only valid tokens come in.
struct TokenCache {
    /// What a token says.
    struct Entry: Equatable {
        let caller: Caller
        let expires: Timestamp
    }

    private struct Slot {
        var hash: UInt64 = 0
        var token: [UInt8] = []
        var entry: Entry?
        /// Of the last question that it answered.
        var lastUse: UInt64 = 0
    }

    private var slots: [Slot]
    private var clock: UInt64 = 0

    private static let choices = 4

    /// - Parameter capacity: a power of two, four or more.
    init(capacity: Int) {
        precondition(capacity >= Self.choices && capacity & (capacity - 1) == 0)
        slots = Array(repeating: Slot(), count: capacity)
    }

    /// What `token` says, if it was put in before; whether it still holds is for the caller to check.
    mutating func entry(for token: Span<UInt8>) -> Entry? {
        let hash = Self.hash(of: token)
        let first = firstSlot(of: hash)
        for place in first..<first + Self.choices where slots[place].hash == hash {
            guard slots[place].token.count == token.count, slots[place].token.isSame(as: token) else { continue }
            clock += 1
            slots[place].lastUse = clock
            return slots[place].entry
        }
        return nil
    }

    mutating func insert(_ entry: Entry, for token: Span<UInt8>) {
        let hash = Self.hash(of: token)
        let first = firstSlot(of: hash)
        var place = first
        for other in first..<first + Self.choices where slots[other].lastUse < slots[place].lastUse { place = other }
        clock += 1
        slots[place] = Slot(
            hash: hash, token: token.withUnsafeBufferPointer { Array($0) }, entry: entry, lastUse: clock)
    }

    private func firstSlot(of hash: UInt64) -> Int {
        Int(truncatingIfNeeded: hash ^ (hash >> 32)) & (slots.count - 1) & ~(Self.choices - 1)
    }

    /// Signatures are as good as random, so FNV over a few of their bytes spreads them.
    private static func hash(of token: Span<UInt8>) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for index in max(0, token.count - 12)..<token.count {
            hash = (hash ^ UInt64(token[index])) &* 0x100_0000_01B3
        }
        return hash
    }
}

extension [UInt8] {
    /// Whether all of these bytes are those of `other`, which is as long.
    fileprivate func isSame(as other: Span<UInt8>) -> Bool {
        withUnsafeBytes { mine in
            other.withUnsafeBytes { others in
                guard let mine = mine.baseAddress, let others = others.baseAddress else { return true }
                return memcmp(mine, others, count) == 0
            }
        }
    }
}
