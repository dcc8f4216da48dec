public import TestSupport
public import Wire

extension HTTPCall.Reply {
    /// The body as JSON.
    public var json: JSONValue { get throws { try JSONValue(parsing: body) } }

    /// The text without the id of the call, which is another in each reply.
    public var textForAll: String { text.replacing(#/"requestId":"[^"]*",?/#, with: "") }

    /// The error code in the body; empty if there is none.
    public var errorCode: String { (try? json["errorCode"]?.string) ?? "" }
}
