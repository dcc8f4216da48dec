internal import WebSocket
internal import Wire

/// A WebSocket message carries one packet.
extension EnginePacket {
    /// The message to send.
    func frame(_ version: EngineVersion) -> Message {
        guard isBinary else { return Message(.text, text) }
        return version == .v4 ? payload : Message(.binary, [kind.rawValue] + payload.bytes)
    }

    /// Reads a message from a client; nil if it is not a packet.
    init?(frame message: Message, _ version: EngineVersion) {
        switch (message.kind, version) {
        case (.text, _):
            if message.bytes.first == UInt8(ascii: "b") {
                self.init(base64: message.bytes.dropFirst(), version)
            } else {
                self.init(text: message.bytes)
            }
        case (.binary, .v4):
            self.init(.message, message)
        case (.binary, .v3):
            guard let first = message.bytes.first, let kind = Kind(rawValue: first) else { return nil }
            self.init(kind, Message(.binary, Array(message.bytes.dropFirst())))
        }
    }

    /// The text after the `b` of a binary packet; version 3 puts the type first.
    init?(base64 text: ArraySlice<UInt8>, _ version: EngineVersion) {
        var text = text
        var kind = Kind.message
        if version == .v3 {
            guard let digit = text.popFirst(), let named = Kind(digit: digit) else { return nil }
            kind = named
        }
        // Some clients omit the padding.
        guard let bytes = Base64.decode(text.span, .standard) ?? Base64.decode(text.span, .standardUnpadded) else {
            return nil
        }
        self.init(kind, Message(.binary, bytes))
    }

    /// A binary packet as text, with its leading `b`.
    func base64(_ version: EngineVersion) -> [UInt8] {
        let head = version == .v3 ? [UInt8(ascii: "b"), kind.digit] : [UInt8(ascii: "b")]
        return head + Base64.encodedBytes(payload.bytes.span, .standard)
    }
}
