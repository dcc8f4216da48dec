/// The words of an SQL text, in lower case, those in comments and quotes included.
struct SQLWords {
    private let words: [String]

    init(_ text: String) {
        words = text.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map { $0.lowercased() }
    }

    /// Whether the statement surely does nothing but read. It errs towards no: a column called `update` is enough.
    var onlyRead: Bool {
        guard let first = words.first, Self.readers.contains(first) else { return false }
        return !words.contains { Self.effects.contains($0) || $0.hasPrefix("pg_") }
    }

    private static let readers: Set = ["select", "with", "values", "table"]
    private static let effects: Set = [
        "insert", "update", "delete", "merge", "into", "share", "nextval", "setval", "set_config", "lo_create",
    ]
}
