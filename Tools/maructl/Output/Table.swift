/// A table of texts for a terminal. It does no I/O.
struct Table: Sendable, Equatable {
    let columns: [String]
    var rows: [[String]]

    /// The lines, with columns as wide as their widest text. Columns without any text are left out.
    var lines: [String] {
        let kept = columns.indices.filter { column in rows.isEmpty || rows.contains { !$0[column].isEmpty } }
        let all = [kept.map { columns[$0].uppercased() }] + rows.map { row in kept.map { Self.printable(row[$0]) } }
        let widths = kept.indices.map { column in all.map { Self.width(of: $0[column]) }.max() ?? 0 }
        return all.map { row in
            let cells = zip(row, widths).map { text, width in
                text + String(repeating: " ", count: width - Self.width(of: text))
            }
            return String(cells.joined(separator: "  ").reversed().drop { $0 == " " }.reversed())
        }
    }

    /// The text without characters that a terminal obeys, because names of users must not control it. Each becomes `·`.
    static func printable(_ text: String) -> String {
        var printable = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: printable.append("·")
            default: printable.append(scalar)
            }
        }
        return String(printable)
    }

    /// The number of cells of a text on a terminal: Hangul, Han, Kana and emojis take two.
    static func width(of text: String) -> Int {
        text.reduce(0) { width, character in width + (character.unicodeScalars.contains(where: isWide) ? 2 : 1) }
    }

    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
            0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
            true
        default: false
        }
    }
}
