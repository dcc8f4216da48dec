internal import WebSocket

/// A packet of Engine.IO: a type, and for some types a payload.
struct EnginePacket: Equatable, Sendable {
    enum Kind: UInt8, Sendable {
        case open, close, ping, pong, message, upgrade, noop

        /// The digit of the type in text.
        var digit: UInt8 { UInt8(ascii: "0") + rawValue }

        init?(digit: UInt8) {
            guard digit >= UInt8(ascii: "0") else { return nil }
            self.init(rawValue: digit - UInt8(ascii: "0"))
        }
    }

    var kind: Kind
    /// Only a `message` can be binary.
    var payload: Message

    init(_ kind: Kind, _ payload: Message = Message(.text, [])) {
        self.kind = kind
        self.payload = payload
    }

    init(_ kind: Kind, text: String) { self.init(kind, .text(text)) }

    var isBinary: Bool { payload.kind == .binary }

    /// The type and the payload as text, such as `4hello`.
    var text: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(payload.bytes.count + 1)
        bytes.append(kind.digit)
        bytes.append(contentsOf: payload.bytes)
        return bytes
    }

    /// Reads a packet from text; nil for an unknown type.
    init?(text: some Collection<UInt8>) {
        guard let first = text.first, let kind = Kind(digit: first) else { return nil }
        self.init(kind, Message(.text, Array(text.dropFirst())))
    }
}
