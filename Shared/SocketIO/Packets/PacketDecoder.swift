internal import WebSocket

/// Assembles packets from messages: a text, and the attachments that it announces.
struct PacketDecoder {
    let limits: PacketLimits
    private var partial: ReceivedPacket?
    private var missing = 0
    private var bytes = 0

    init(_ limits: PacketLimits) { self.limits = limits }

    /// Takes the next message; returns a packet when it is complete.
    mutating func decode(_ message: Message) throws(PacketError) -> ReceivedPacket? {
        switch message.kind {
        case .text:
            guard partial == nil else { throw .outOfTurn }
            let text = try PacketText(message.bytes, limits)
            guard text.attachmentCount > 0 else { return text.packet }
            partial = text.packet
            missing = text.attachmentCount
            bytes = 0
            return nil
        case .binary:
            guard partial != nil else { throw .outOfTurn }
            bytes += message.bytes.count
            guard bytes <= limits.attachmentBytes else { throw .badAttachments }
            partial?.attachments.append(message.bytes)
            missing -= 1
            guard missing == 0 else { return nil }
            defer { partial = nil }
            return partial
        }
    }
}
