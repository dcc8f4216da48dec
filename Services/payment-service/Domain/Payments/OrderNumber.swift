/// The number under which an app orders: `ios_<API key>_<unix seconds>`.
struct OrderNumber: Sendable, Equatable {
    let text: String

    /// Longer ones are none.
    static let limit = 120

    /// Whether it was made by an app of this API key. A key may hold underscores of its own.
    func isOf(key: String) -> Bool {
        guard text.utf8.count <= Self.limit, let platform = text.firstIndex(of: "_"), platform != text.startIndex,
            let clock = text.lastIndex(of: "_"), platform < clock
        else { return false }
        let seconds = text[text.index(after: clock)...]
        return text[text.index(after: platform)..<clock] == key
            && !seconds.isEmpty && seconds.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
