internal import WebSocket
internal import Wire

/// Binary bodies of version 3: each packet is 0 (text) or 1 (binary), its length in bytes as digits 0 to 9, and 255.
enum BinaryPayloadV3 {
    static func encode(_ packets: [EnginePacket]) -> [UInt8] {
        var bytes: [UInt8] = []
        for packet in packets {
            let isBinary = packet.isBinary
            let content = isBinary ? [packet.kind.rawValue] + packet.payload.bytes : packet.text
            bytes.append(isBinary ? 1 : 0)
            bytes += String(content.count).utf8.map { $0 - UInt8(ascii: "0") }
            bytes.append(255)
            bytes += content
        }
        return bytes
    }

    static func decode(_ bytes: [UInt8]) -> [EnginePacket]? {
        var packets: [EnginePacket] = []
        var rest = bytes[...]
        while let mark = rest.popFirst() {
            guard mark <= 1, let length = takeLength(from: &rest), length <= rest.count else { return nil }
            let content = rest.prefix(length)
            rest = rest.dropFirst(length)
            let packet = mark == 1 ? binary(content) : text(content)
            guard let packet, packets.count < PollPayload.maximumPackets else { return nil }
            packets.append(packet)
        }
        return packets.isEmpty ? nil : packets
    }

    private static func binary(_ content: ArraySlice<UInt8>) -> EnginePacket? {
        EnginePacket(frame: Message(.binary, Array(content)), .v3)
    }

    private static func text(_ content: ArraySlice<UInt8>) -> EnginePacket? {
        guard content.span.isUTF8 else { return nil }
        return EnginePacket(frame: Message(.text, Array(content)), .v3)
    }

    private static func takeLength(from rest: inout ArraySlice<UInt8>) -> Int? {
        guard let end = rest.prefix(9).firstIndex(of: 255), end > rest.startIndex else { return nil }
        let digits = rest[rest.startIndex..<end]
        guard digits.allSatisfy({ $0 <= 9 }) else { return nil }
        rest = rest[(end + 1)...]
        return digits.reduce(0) { $0 * 10 + Int($1) }
    }
}
