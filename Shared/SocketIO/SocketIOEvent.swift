public import Wire

/// An event of a client.
public struct SocketIOEvent: Sendable {
    public let name: String
    /// Name and arguments, as an array. What is bytes stands in it as `{"_placeholder":true,"num":n}`.
    public let payload: JSONValue
    /// The bytes that the placeholders stand for.
    public let attachments: [[UInt8]]
    /// Given where the client wants an acknowledgement.
    public let id: UInt64?

    /// The arguments.
    public var arguments: some Sequence<JSONValue> { payload.elements!.dropFirst() }
}

/// A client's answer to an event that was sent with an id.
public struct SocketIOAcknowledgement: Sendable {
    public let id: UInt64
    /// The arguments, as an array.
    public let payload: JSONValue
    /// The bytes that the placeholders in it stand for.
    public let attachments: [[UInt8]]
}
