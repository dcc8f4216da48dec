/// A text that has been found to be JSON, and the index of its values. Strings and numbers are read when asked for.
final class JSONDocument: Sendable {
    let bytes: [UInt8]
    let nodes: [JSONNode]

    init(parsing bytes: [UInt8], maximumDepth: Int) throws(JSONError) {
        var parser = JSONParser(maximumDepth: maximumDepth)
        self.bytes = bytes
        nodes = try parser.parse(bytes.span)
    }

    /// Calls `body` with the text of a node; for a string, what is between its quotes.
    @inline(__always)
    func withText<Result>(of node: JSONNode, _ body: (Span<UInt8>) -> Result) -> Result {
        let bytes = bytes
        return body(bytes.span.extracting(Int(node.start)..<Int(node.end)))
    }
}
