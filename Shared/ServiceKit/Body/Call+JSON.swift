internal import Contract
internal import HTTP
public import Wire

extension Call {
    /// Reads the whole body as a JSON object, for bodies with more than texts and numbers.
    public func json() async throws -> JSONValue {
        let value = try JSONValue(parsing: try await request.body.collect(upTo: bodyLimit.text))
        guard value.kind == .object else { throw Failure.invalid("The body must be a JSON object.") }
        return value
    }
}
