public import TestSupport
public import Wire

extension HTTPCall.Reply {
    /// The body as JSON.
    public var json: JSONValue { get throws { try JSONValue(parsing: body) } }

    /// The error code that the body tells; empty where it tells none.
    public var errorCode: String { (try? json["errorCode"]?.string) ?? "" }
}
