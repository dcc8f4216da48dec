internal import HTTP
public import Wire

/// Collects the path, the query and the body of an internal call.
public struct InternalRequestWriter {
    private var target = ""
    /// The part of the template that has not been written yet.
    private var rest: Substring
    private var hasQuery = false
    /// The JSON body; empty for a GET.
    private(set) var body: [UInt8]

    init(_ route: InternalRoute) {
        rest = route.template[...]
        body = route.method == .get ? [] : Array("{}".utf8)
    }

    /// Writes the value of the next path parameter of the template.
    public mutating func parameter(_ value: some CustomStringConvertible) {
        guard let begin = rest.utf8.firstIndex(of: UInt8(ascii: "{")),
            let end = rest.utf8.firstIndex(of: UInt8(ascii: "}"))
        else { preconditionFailure("the path has no more parameters") }
        target += rest[..<begin]
        target += PercentEncoding.strict.encode(value.description)
        rest = rest[rest.utf8.index(after: end)...]
    }

    /// Writes a query parameter, after all path parameters.
    public mutating func query(_ name: StaticString, _ value: some CustomStringConvertible) {
        target += rest
        rest = ""
        target += hasQuery ? "&" : "?"
        hasQuery = true
        target += "\(name)=" + PercentEncoding.strict.encode(value.description)
    }

    /// Writes the members of the body.
    public mutating func body(_ members: (inout JSONWriter) -> Void) {
        body = JSONWriter.bytes { json in json.object(members) }
    }

    /// The path with its query.
    var path: String { target + rest }
}
