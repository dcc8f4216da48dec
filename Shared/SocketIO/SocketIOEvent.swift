public import Wire

/// An event from a client.
public struct SocketIOEvent: Sendable {
    public let name: String
    /// The name and the arguments as an array. Binary values appear as `{"_placeholder":true,"num":n}`.
    public let payload: JSONValue
    /// The binary values of the placeholders.
    public let attachments: [[UInt8]]
    /// The id of the acknowledgement that the client asks for; nil if it wants none.
    public let id: UInt64?

    /// The arguments without the name.
    public var arguments: some Sequence<JSONValue> { payload.elements!.dropFirst() }
}

/// A client's acknowledgement of an event that was sent with an id.
public struct SocketIOAcknowledgement: Sendable {
    public let id: UInt64
    /// The arguments as an array.
    public let payload: JSONValue
    /// The binary values of its placeholders.
    public let attachments: [[UInt8]]
}
