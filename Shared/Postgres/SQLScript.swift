/// A text of several SQL statements, cut into pieces.
enum SQLScript {
    enum Piece: Equatable {
        case code(Substring)
        case comment(Substring)
        /// A text with its quotes, such as the body of a function.
        case quoted(Substring)
        /// The semicolon after a statement.
        case end
    }

    /// The pieces in their order; nothing is left out.
    static func pieces(of script: String) -> [Piece] {
        var pieces: [Piece] = []
        var rest = Substring(script)
        while let character = rest.first {
            let piece: Piece
            if rest.hasPrefix("--") {
                piece = .comment(rest.prefix { !$0.isNewline })
            } else if rest.hasPrefix("/*") {
                piece = .comment(through("*/", in: rest, from: 2))
            } else if character == "'" || character == "\"" {
                piece = .quoted(through(Substring([character]), in: rest, from: 1))
            } else if character == "$", let tag = dollarTag(rest) {
                piece = .quoted(through(tag, in: rest, from: tag.count))
            } else if character == ";" {
                piece = .end
            } else {
                let code = rest.dropFirst().prefix { !"-/'\"$;".contains($0) }
                piece = .code(rest[..<code.endIndex])
            }
            pieces.append(piece)
            rest = rest.dropFirst(piece.text.count)
        }
        return pieces
    }

    /// The statements with their comments, without the semicolons. A part without code is not a statement.
    static func statements(in script: String) -> [String] {
        pieces(of: script).split(separator: .end).compactMap { pieces in
            let hasCode = pieces.contains {
                if case .code(let text) = $0 { !text.allSatisfy(\.isWhitespace) } else { false }
            }
            return hasCode ? pieces.map(\.text).joined() : nil
        }
    }

    /// The text up to the end of `mark`, which is looked for after the first characters.
    private static func through(_ mark: Substring, in text: Substring, from count: Int) -> Substring {
        text.dropFirst(count).firstRange(of: mark).map { text[..<$0.upperBound] } ?? text
    }

    /// The tag with which a dollar-quoted text begins, such as `$$` or `$body$`.
    private static func dollarTag(_ text: Substring) -> Substring? {
        let name = text.dropFirst().prefix { $0.isLetter || $0 == "_" }
        guard text.dropFirst(1 + name.count).first == "$" else { return nil }
        return text.prefix(name.count + 2)
    }
}

extension SQLScript.Piece {
    var text: Substring {
        switch self {
        case .code(let text), .comment(let text), .quoted(let text): text
        case .end: ";"
        }
    }
}
