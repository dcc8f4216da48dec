/// The text that Swift prints for an optional string. One client app puts it into its forms.
enum OptionalDescription {
    /// Returns the string inside `Optional("text")` without its escapes, an empty string for `nil`, and any other text
    /// unchanged.
    static func unwrap(_ printed: String) -> String {
        if printed == "nil" { return "" }
        let (head, tail) = ("Optional(\"".unicodeScalars, "\")".unicodeScalars)
        // Compared by scalars, because a quotation mark and a combining accent are one character.
        let scalars = printed.unicodeScalars
        guard scalars.count >= head.count + tail.count, scalars.starts(with: head),
            scalars.suffix(tail.count).elementsEqual(tail)
        else { return printed }
        return unescaped(scalars.dropFirst(head.count).dropLast(tail.count)) ?? printed
    }

    /// Returns nil for a text that Swift does not print.
    private static func unescaped(_ printed: Substring.UnicodeScalarView) -> String? {
        var (text, rest) = (String.UnicodeScalarView(), printed)
        while let next = rest.popFirst() {
            switch next {
            case "\"": return nil
            case "\\":
                guard let escaped = escaped(&rest) else { return nil }
                text.append(escaped)
            default: text.append(next)
            }
        }
        return String(text)
    }

    /// Reads an escape after its backslash.
    private static func escaped(_ rest: inout Substring.UnicodeScalarView) -> Unicode.Scalar? {
        guard let name = rest.popFirst() else { return nil }
        switch name {
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "0": return "\0"
        case "\"", "'", "\\": return name
        case "u":
            guard rest.popFirst() == "{", let end = rest.firstIndex(of: "}") else { return nil }
            defer { rest = rest[end...].dropFirst() }
            return UInt32(String(rest[..<end]), radix: 16).flatMap(Unicode.Scalar.init)
        default: return nil
        }
    }
}
