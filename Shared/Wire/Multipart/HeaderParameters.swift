/// The value of a header with parameters: `form-data; name="image"; filename="a.png"`, `text/html; charset=utf-8`.
public struct HeaderParameters: Sendable {
    /// The text before the first `;`, without surrounding blanks, in lower case.
    public let value: String
    /// The parameters in order, with names in lower case.
    public private(set) var all: [(name: String, value: String)] = []

    /// Parses tokens and quoted strings; nil if a quote is not closed, the text is not UTF-8, or there are more than 32
    /// parameters.
    ///
    /// Within quotes a backslash escapes only a quote or a backslash, because clients send Windows paths unescaped.
    public init?(_ field: Span<UInt8>) {
        var scanner = HeaderScanner()
        guard let value = scanner.token(field, until: UInt8(ascii: ";")) else { return nil }
        self.value = value.lowercased()
        while scanner.skip(field, UInt8(ascii: ";")) {
            guard let name = scanner.token(field, until: UInt8(ascii: "=")), all.count < 32 else { return nil }
            guard scanner.skip(field, UInt8(ascii: "=")) else {
                if name.isEmpty { continue }
                return nil
            }
            guard let value = scanner.value(field) else { return nil }
            all.append((name.lowercased(), value))
        }
        guard scanner.isAtEnd(field) else { return nil }
    }

    /// Parses the same text as ``init(_:)-(Span<UInt8>)``.
    public init?(_ field: String) {
        self.init(field.utf8.span)
    }

    /// The first parameter of this name; `name` is in lower case.
    public subscript(name: String) -> String? {
        all.first { $0.name == name }?.value
    }
}
