/// One value of a document, in the order of the text. A container's node is followed by those of its content.
struct JSONNode: Sendable {
    enum Kind: UInt8, Sendable {
        case null, `false`, `true`, integer, fraction, asciiString, plainString, escapedString, array, object
    }

    /// The name of a member, between its quotes.
    struct Name: Sendable {
        var start: UInt32 = 0
        /// The lowest bit is set if the name has escapes; the other bits are its length.
        private var measure: UInt32 = 0

        init() {}

        init(start: Int, length: Int, isEscaped: Bool) {
            self.start = UInt32(truncatingIfNeeded: start)
            measure = UInt32(truncatingIfNeeded: length << 1) | (isEscaped ? 1 : 0)
        }

        var length: Int { Int(measure >> 1) }
        var isEscaped: Bool { measure & 1 == 1 }

        /// Whether the name may have `length` bytes. This excludes most other names without reading their text.
        func mayBe(length: Int) -> Bool { measure == UInt32(truncatingIfNeeded: length << 1) || isEscaped }
    }

    let kind: Kind
    /// The member's name; empty for a value that is not a member.
    let name: Name
    /// The start and end of the value's text; for a string, of the text between its quotes.
    let start: UInt32
    var end: UInt32
    /// The index of the first node after this one and its content.
    var next: UInt32
}
