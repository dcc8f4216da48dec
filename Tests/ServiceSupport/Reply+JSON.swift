public import TestSupport
public import Wire

extension HTTPCall.Reply {
    /// The body as JSON.
    public var json: JSONValue { get throws { try JSONValue(parsing: body) } }

    /// The error code in the body; empty if there is none.
    public var errorCode: String { (try? json["errorCode"]?.string) ?? "" }
}
