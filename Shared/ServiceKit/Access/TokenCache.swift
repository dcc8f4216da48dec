internal import Wire

/// Tokens whose signature has been checked, so that it is checked once and not with every request.
///
/// A slot a token, found by its signature's last bytes; a newer token takes the slot of an older one. Memory is bounded, and
/// only valid tokens come in.
struct TokenCache {
    /// What a token says.
    struct Entry: Equatable {
        let caller: Caller
        let expires: Timestamp
    }

    private struct Slot {
        let token: [UInt8]
        let entry: Entry
    }

    private var slots: [Slot?]

    /// - Parameter capacity: a power of two.
    init(capacity: Int) {
        precondition(capacity > 0 && capacity & (capacity - 1) == 0)
        slots = Array(repeating: nil, count: capacity)
    }

    /// What `token` says, if it was put in before; whether it still holds is for the caller to check.
    func entry(for token: Span<UInt8>) -> Entry? {
        guard let slot = slots[place(of: token)], slot.token.count == token.count else { return nil }
        let isSame = slot.token.withUnsafeBytes { known in
            token.withUnsafeBytes { known.elementsEqual($0) }
        }
        return isSame ? slot.entry : nil
    }

    mutating func insert(_ entry: Entry, for token: Span<UInt8>) {
        let bytes = token.withUnsafeBufferPointer { Array($0) }
        slots[place(of: token)] = Slot(token: bytes, entry: entry)
    }

    /// Signatures are as good as random, so FNV over a few of their bytes spreads them.
    private func place(of token: Span<UInt8>) -> Int {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for index in max(0, token.count - 12)..<token.count {
            hash = (hash ^ UInt64(token[index])) &* 0x100_0000_01B3
        }
        return Int(truncatingIfNeeded: hash ^ (hash >> 32)) & (slots.count - 1)
    }
}
