/// One value or key of a document, in the order of the text. The nodes of a container's content follow its own.
struct JSONNode: Sendable {
    enum Kind: UInt8, Sendable {
        case null, `false`, `true`, integer, fraction, plainString, escapedString, array, object
    }

    let kind: Kind
    /// Where the text of the value begins and ends; for a string, what is between its quotes.
    let start: UInt32
    var end: UInt32
    /// The node behind this one and all its content.
    var next: UInt32
}
