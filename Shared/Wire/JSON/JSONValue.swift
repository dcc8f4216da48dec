/// A value of a JSON text, read in place.
///
///     let body = try JSONValue(parsing: request.body)
///     guard let email = body.string("email"), let files = body["files"]?.array(\.string) else { throw … }
///
/// Parsing checks the whole text and records the offsets of its values; strings and numbers are created on access. A
/// value retains the whole text. Unknown members are ignored; of members with the same name the last one counts.
public struct JSONValue: Sendable {
    public enum Kind: Hashable, Sendable {
        case null, bool, number, string, array, object
    }

    @usableFromInline let document: JSONDocument
    @usableFromInline let index: Int

    /// - Parameter maximumDepth: the deepest nesting of arrays and objects, at most 512.
    public init(parsing bytes: [UInt8], maximumDepth: Int = 64) throws(JSONError) {
        document = try JSONParser.parse(bytes, maximumDepth: maximumDepth)
        index = 0
    }

    /// - Parameter maximumDepth: the deepest nesting of arrays and objects, at most 512.
    public init(parsing text: String, maximumDepth: Int = 64) throws(JSONError) {
        try self.init(parsing: Array(text.utf8), maximumDepth: maximumDepth)
    }

    @usableFromInline
    init(document: JSONDocument, index: Int) {
        self.document = document
        self.index = index
    }

    var node: JSONNode { document[index] }

    public var kind: Kind {
        switch node.kind {
        case .null: .null
        case .true, .false: .bool
        case .integer, .fraction: .number
        case .asciiString, .plainString, .escapedString: .string
        case .array: .array
        case .object: .object
        }
    }
}
