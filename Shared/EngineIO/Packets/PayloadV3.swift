internal import Wire

/// Text bodies of version 3: each packet follows its length and a colon, such as `6:4hello`.
///
/// Lengths count UTF-16 code units, as JavaScript does; a scalar above U+FFFF has two.
enum PayloadV3 {
    static func encode(_ packets: [EnginePacket]) -> [UInt8] {
        var bytes: [UInt8] = []
        for packet in packets {
            let text = packet.isBinary ? packet.base64(.v3) : packet.text
            bytes += Array(String(length(of: text)).utf8)
            bytes.append(UInt8(ascii: ":"))
            bytes += text
        }
        return bytes
    }

    static func decode(_ bytes: [UInt8]) -> [EnginePacket]? {
        guard !bytes.isEmpty, bytes.span.isUTF8 else { return nil }
        var packets: [EnginePacket] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            guard let units = takeLength(from: &rest), let text = take(units, from: &rest) else { return nil }
            // The reference server skips an empty packet.
            if text.isEmpty { continue }
            let packet =
                text.first == UInt8(ascii: "b")
                ? EnginePacket(base64: text.dropFirst(), .v3) : EnginePacket(text: text)
            guard let packet, packets.count < PollPayload.maximumPackets else { return nil }
            packets.append(packet)
        }
        return packets
    }

    private static func length(of text: [UInt8]) -> Int { text.reduce(0) { $0 + units(of: $1) } }

    /// The number of code units of the scalar that begins with this byte; 0 for a continuation byte.
    private static func units(of byte: UInt8) -> Int { byte & 0xC0 == 0x80 ? 0 : byte >= 0xF0 ? 2 : 1 }

    private static func takeLength(from rest: inout ArraySlice<UInt8>) -> Int? {
        guard let colon = rest.prefix(9).firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let digits = rest[rest.startIndex..<colon]
        guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        rest = rest[(colon + 1)...]
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    private static func take(_ count: Int, from rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        var missing = count
        var end = rest.startIndex
        while end < rest.endIndex, missing > 0 || rest[end] & 0xC0 == 0x80 {
            missing -= units(of: rest[end])
            end += 1
        }
        // Below zero, the length ends within a scalar of two code units.
        guard missing == 0 else { return nil }
        defer { rest = rest[end...] }
        return rest[rest.startIndex..<end]
    }
}
