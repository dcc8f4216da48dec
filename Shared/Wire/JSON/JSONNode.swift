/// One value of a document, in the order of the text. The values in a container follow its own.
struct JSONNode: Sendable {
    enum Kind: UInt8, Sendable {
        case null, `false`, `true`, integer, fraction, asciiString, plainString, escapedString, array, object
    }

    /// The name of a member, between its quotes.
    struct Name: Sendable {
        var start: UInt32 = 0
        /// The lowest bit tells whether there are escapes in it, the others how long it is.
        private var measure: UInt32 = 0

        init() {}

        init(start: Int, length: Int, isEscaped: Bool) {
            self.start = UInt32(truncatingIfNeeded: start)
            measure = UInt32(truncatingIfNeeded: length << 1) | (isEscaped ? 1 : 0)
        }

        var length: Int { Int(measure >> 1) }
        var isEscaped: Bool { measure & 1 == 1 }

        /// Rules out most names without a look at their text.
        func mayBe(length: Int) -> Bool { measure == UInt32(truncatingIfNeeded: length << 1) || isEscaped }
    }

    let kind: Kind
    /// Empty for what is no member.
    let name: Name
    /// Where the text of the value begins and ends; for a string, what is between its quotes.
    let start: UInt32
    var end: UInt32
    /// The node behind this one and all its content.
    var next: UInt32
}
