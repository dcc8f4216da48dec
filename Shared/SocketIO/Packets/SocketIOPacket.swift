public import WebSocket

/// A packet to send: a type, a namespace, and for some types an id and a JSON text with its binary attachments.
public struct SocketIOPacket: Sendable, Equatable {
    /// The types of revision 5; revision 4 calls the fifth one `ERROR`.
    public enum Kind: UInt8, Sendable {
        case connect, disconnect, event, acknowledgement, connectError, binaryEvent, binaryAcknowledgement
    }

    public var kind: Kind
    /// Begins with `/` and contains no comma.
    public var namespace: String
    /// The id of an event that asks for an acknowledgement, or of the acknowledgement.
    public var id: UInt64?
    /// JSON, or nil. The n-th attachment appears in it as `{"_placeholder":true,"num":n}`.
    public var payload: [UInt8]?
    public var attachments: [[UInt8]] = []

    public init(_ kind: Kind, in namespace: String, id: UInt64? = nil, payload: [UInt8]? = nil) {
        self.kind = kind
        self.namespace = namespace
        self.id = id
        self.payload = payload
    }

    /// The messages of the packet: a text, then one for each attachment.
    public var messages: [Message] {
        var packet = self
        if !attachments.isEmpty {
            if kind == .event { packet.kind = .binaryEvent }
            if kind == .acknowledgement { packet.kind = .binaryAcknowledgement }
        }
        return [Message(.text, packet.text)] + attachments.map(Message.binary)
    }

    /// The text of the packet, such as `2/admin,13["foo"]`.
    public var text: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(namespace.utf8.count + (payload?.count ?? 0) + 32)
        bytes.append(UInt8(ascii: "0") + kind.rawValue)
        if !attachments.isEmpty {
            bytes += Array(String(attachments.count).utf8)
            bytes.append(UInt8(ascii: "-"))
        }
        if namespace != "/" {
            bytes += Array(namespace.utf8)
            bytes.append(UInt8(ascii: ","))
        }
        if let id { bytes += Array(String(id).utf8) }
        if let payload { bytes += payload }
        return bytes
    }
}
