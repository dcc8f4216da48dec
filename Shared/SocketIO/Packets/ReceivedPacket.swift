internal import Wire

/// A complete, valid packet of a client.
struct ReceivedPacket: Sendable {
    enum Kind: Sendable {
        case connect
        case disconnect
        case event
        case acknowledgement
    }

    var kind: Kind
    /// The namespace as sent; in revision 4 it may have a query.
    var namespace: String
    var id: UInt64?
    /// An array for events and acknowledgements, an object for some connects.
    var payload: JSONValue?
    var attachments: [[UInt8]] = []
}
