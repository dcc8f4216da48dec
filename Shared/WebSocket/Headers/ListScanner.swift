internal import HTTP

/// Scans the value of a header: tokens and separators, with the blanks between them skipped.
struct ListScanner {
    private let bytes: [UInt8]
    private var index = 0

    init(_ text: some StringProtocol) {
        bytes = Array(text.utf8)
        skipBlanks()
    }

    var isAtEnd: Bool { index == bytes.count }

    func isAt(_ separator: Unicode.Scalar) -> Bool { !isAtEnd && bytes[index] == UInt8(separator.value) }

    mutating func skip(_ separator: Unicode.Scalar) -> Bool {
        guard isAt(separator) else { return false }
        index += 1
        skipBlanks()
        return true
    }

    /// Takes the token of RFC 9110 §5.6.2 that begins here; nil if none does.
    mutating func token() -> String? {
        let start = index
        while !isAtEnd, Token.isTokenByte(bytes[index]) { index += 1 }
        guard index > start else { return nil }
        defer { skipBlanks() }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    /// Takes a quoted string; RFC 6455 §9.1 requires a token within the quotes.
    mutating func quotedToken() -> String? {
        index += 1
        var text: [UInt8] = []
        while !isAtEnd, bytes[index] != UInt8(ascii: "\"") {
            if bytes[index] == UInt8(ascii: "\\") {
                index += 1
                guard !isAtEnd else { return nil }
            }
            guard Token.isTokenByte(bytes[index]) else { return nil }
            text.append(bytes[index])
            index += 1
        }
        guard !isAtEnd, !text.isEmpty else { return nil }
        index += 1
        skipBlanks()
        return String(decoding: text, as: UTF8.self)
    }

    private mutating func skipBlanks() {
        while !isAtEnd, bytes[index] == 0x20 || bytes[index] == 0x09 { index += 1 }
    }
}

extension ListScanner {
    /// The tokens of a comma-separated list, such as `Connection`; nil if it holds anything else.
    static func tokens(_ header: String) -> [String]? {
        var scanner = ListScanner(header)
        var tokens: [String] = []
        repeat {
            if let token = scanner.token() { tokens.append(token) }
        } while scanner.skip(",")
        return scanner.isAtEnd ? tokens : nil
    }
}
