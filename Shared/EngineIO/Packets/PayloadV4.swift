internal import Wire

/// Bodies of version 4: text packets separated by a record separator; binary packets as `b` and Base64.
enum PayloadV4 {
    private static let separator: UInt8 = 0x1E

    static func encode(_ packets: [EnginePacket]) -> [UInt8] {
        var bytes: [UInt8] = []
        for packet in packets {
            if !bytes.isEmpty { bytes.append(separator) }
            bytes += packet.isBinary ? packet.base64(.v4) : packet.text
        }
        return bytes
    }

    static func decode(_ bytes: [UInt8]) -> [EnginePacket]? {
        guard bytes.span.isUTF8 else { return nil }
        var packets: [EnginePacket] = []
        for part in bytes.split(separator: separator, omittingEmptySubsequences: false) {
            let packet =
                part.first == UInt8(ascii: "b")
                ? EnginePacket(base64: part.dropFirst(), .v4) : EnginePacket(text: part)
            guard let packet, packets.count < PollPayload.maximumPackets else { return nil }
            packets.append(packet)
        }
        return packets
    }
}
