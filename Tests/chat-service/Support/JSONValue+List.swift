import Wire

extension JSONValue {
    /// The elements of an array; none for any other value.
    var list: [JSONValue] { elements.map(Array.init) ?? [] }
}
