/// The value of a header that has parameters: `form-data; name="image"; filename="a.png"`, `text/html; charset=utf-8`.
public struct HeaderParameters: Sendable {
    /// What stands before the first `;`, without blanks around it, in lower case.
    public let value: String
    /// Names in lower case, in order.
    public private(set) var all: [(name: String, value: String)] = []

    /// Reads tokens and quoted strings; `nil` where a quote is not closed, something is not UTF-8,
    /// or there are more than 32 parameters.
    ///
    /// Within quotes a backslash escapes only a quote and a backslash: clients send the paths of Windows unescaped.
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

    /// Reads what ``init(_:)-(Span<UInt8>)`` reads.
    public init?(_ field: String) {
        self.init(field.utf8.span)
    }

    /// The first parameter of this name, which is in lower case.
    public subscript(name: String) -> String? {
        all.first { $0.name == name }?.value
    }
}
