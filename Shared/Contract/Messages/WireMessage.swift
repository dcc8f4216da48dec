public import Wire

/// A JSON value that one service sends to another: a hint, a room event, the body of a fact or the reply of an internal
/// call.
///
/// A type keeps its writer and its reader in one file. Names of members never change, so that services of two releases
/// understand each other during a rolling upgrade. `Tests/Contract` requires a sample of each type for its round-trip
/// test.
public protocol WireMessage: JSONWritable, Sendable, Equatable {
    /// Reads the message and ignores unknown members; nil if a member is missing or malformed.
    init?(_ json: JSONValue)

    /// About how many bytes the message takes as JSON; the buffer for it starts with this size.
    var sizeHint: Int { get }
}

extension WireMessage {
    public var sizeHint: Int { 256 }

    /// The message as JSON.
    public func encoded() -> [UInt8] {
        JSONWriter.bytes(capacity: sizeHint) { json in write(to: &json) }
    }
}
