internal import Wire

/// A packet of a client, checked and whole.
struct ReceivedPacket: Sendable {
    enum Kind: Sendable {
        case connect
        case disconnect
        case event
        case acknowledgement
    }

    var kind: Kind
    /// As sent: in revision 4 perhaps with a query.
    var namespace: String
    var id: UInt64?
    /// An array for events and acknowledgements, an object for some connects.
    var payload: JSONValue?
    var attachments: [[UInt8]] = []
}
