/// A query as a person types it: words, `"phrases"`, `-exclusions` and filters such as `from:` and `채널:`.
///
/// All words are required. A filter is a known name, a colon and a value; a value with spaces stands in quotes
/// (`in:"daily stand-up"`). Filters are excluded like words (`-from:bot`). Everything else is a word, `https://example.com`
/// included.
///
/// The last word may still be being typed: see ``SearchPattern/alternatives(of:isBeingTyped:)``. A phrase, an excluded word and a
/// word with a space after it are not.
public struct SearchQuery: Equatable, Sendable {
    public enum Filter: Hashable, Sendable, CaseIterable {
        case from, room, has, before, after

        /// The names of the filters as parameters of a request.
        public static let parameters: [(name: String, filter: Filter)] = allCases.map { ($0.names[0], $0) }

        /// The names under which people type the filter; the first is the name of its parameter.
        var names: [String] {
            switch self {
            case .from: ["from", "보낸사람", "보낸이"]
            case .room: ["in", "채널", "대화"]
            case .has: ["has", "포함"]
            case .before: ["before", "이전"]
            case .after: ["after", "이후"]
            }
        }
    }

    /// A filter's value as it was typed. Its meaning is found where members and channels are known.
    public struct TypedFilter: Hashable, Sendable {
        public let filter: Filter
        public let value: String
        /// Messages of which it holds are left out of the result.
        public let isExcluded: Bool

        public init(filter: Filter, value: String, isExcluded: Bool = false) {
            self.filter = filter
            self.value = value
            self.isExcluded = isExcluded
        }
    }

    public private(set) var terms: [SearchTerm] = []
    public private(set) var filters: [TypedFilter] = []

    public init(_ text: String) {
        var reader = QueryReader(text)
        while let token = reader.next() { add(token) }
    }

    /// Says whether a text has all terms that are required and none that is excluded.
    public func matches(_ text: SearchText) -> Bool {
        terms.allSatisfy { $0.matches(text) != $0.isExcluded }
    }

    /// The terms that a text must have.
    public var requiredTerms: [SearchTerm] { terms.filter { !$0.isExcluded } }

    /// All required terms as one phrase in the order in which they were typed; nil unless there are several.
    public var phrase: SearchPattern? {
        let required = requiredTerms
        guard required.count > 1 else { return nil }
        return SearchPattern(Array(required.map { $0.alternatives[0].scalars }.joined(separator: [SearchText.space])))
    }

    /// Returns where the required terms stand in a text, from left to right, joined where they overlap or touch.
    public func ranges(in text: SearchText) -> [Range<Int>] {
        let found = requiredTerms.flatMap { $0.ranges(in: text) }
        return found.sorted { $0.lowerBound < $1.lowerBound }.reduce(into: []) { joined, range in
            if let last = joined.last, range.lowerBound <= last.upperBound {
                joined[joined.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                joined.append(range)
            }
        }
    }

    private mutating func add(_ token: QueryReader.Token) {
        if let name = token.name, let filter = Filter.allCases.first(where: { $0.names.contains(name.lowercased()) }) {
            filters.append(TypedFilter(filter: filter, value: token.value, isExcluded: token.isExcluded))
        } else if let term = SearchTerm(
            token.text, isExcluded: token.isExcluded, isBeingTyped: token.isBeingTyped)
        {
            terms.append(term)
        }
    }
}

/// Splits a query at white space, outside of quotes.
private struct QueryReader {
    struct Token {
        var isExcluded = false
        /// The part before the first colon outside of quotes, if there is a value after it.
        var name: String?
        /// The part after that colon, without its quotes.
        var value = ""
        /// The whole token without the sign and the quotes around it.
        var text = ""
        /// Whether it is a word at the end of the query.
        var isBeingTyped = false
    }

    private var rest: Substring

    init(_ text: String) {
        rest = text.precomposedForQuery[...]
    }

    mutating func next() -> Token? {
        rest = rest.drop { $0.isWhitespace }
        guard !rest.isEmpty else { return nil }
        var token = Token()
        if rest.first == "-", rest.dropFirst().first.map({ !$0.isWhitespace }) == true {
            token.isExcluded = true
            rest.removeFirst()
        }
        if let quoted = takeQuoted() {
            token.text = quoted
            return token
        }
        let word = rest.prefix { !$0.isWhitespace }
        if let colon = word.firstIndex(of: ":"), colon != word.startIndex {
            token.name = String(word[..<colon])
            let behind = word.index(after: colon)
            rest = rest[behind...]
            if let quoted = takeQuoted() {
                token.value = quoted
                token.text = "\(token.name ?? ""):\(quoted)"
                return token
            }
            token.value = String(word[behind...])
            if token.value.isEmpty { token.name = nil }
        }
        token.text = String(word)
        rest = rest[word.endIndex...]
        token.isBeingTyped = rest.isEmpty && !token.isExcluded
        return token
    }

    /// Takes a phrase in straight or curly quotes. A quote without its end is taken as far as the text goes.
    private mutating func takeQuoted() -> String? {
        guard let quote = rest.first, quote == "\"" || quote == "“" || quote == "”" else { return nil }
        rest.removeFirst()
        let phrase = rest.prefix { $0 != "\"" && $0 != "“" && $0 != "”" }
        rest = rest[phrase.endIndex...].dropFirst()
        return String(phrase)
    }
}

extension String {
    /// Names of filters are compared in NFC; keyboards of Apple's systems may send decomposed letters.
    fileprivate var precomposedForQuery: String {
        String(decoding: _nfcCodeUnits, as: UTF8.self)
    }
}
