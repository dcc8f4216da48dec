/// An app's order number: `ios_<API key>_<unix seconds>`.
struct OrderNumber: Sendable, Equatable {
    let text: String

    /// The longest valid number, in bytes.
    static let limit = 120

    /// Whether an app with this API key made the number. A key may contain underscores.
    func isOf(key: String) -> Bool {
        guard text.utf8.count <= Self.limit, let platform = text.firstIndex(of: "_"), platform != text.startIndex,
            let clock = text.lastIndex(of: "_"), platform < clock
        else { return false }
        let seconds = text[text.index(after: clock)...]
        return text[text.index(after: platform)..<clock] == key
            && !seconds.isEmpty && seconds.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
