import Testing
import WebSocket

@testable import EngineIO

@Suite("Packets of Engine.IO")
struct PacketTests {
    private static let four = Message.binary([1, 2, 3, 4])

    @Test("WebSocket text follows its type; bytes have no type in version 4 and a type byte in version 3")
    func frames() {
        for version in [EngineVersion.v3, .v4] {
            let packet = EnginePacket(.message, text: "hello")
            #expect(packet.frame(version) == .text("4hello"))
            #expect(EnginePacket(frame: .text("4hello"), version) == packet)
            #expect(EnginePacket(frame: .text("2probe"), version) == EnginePacket(.ping, text: "probe"))
            #expect(EnginePacket(frame: .text("6"), version) == EnginePacket(.noop))
        }
        let bytes = EnginePacket(.message, Self.four)
        #expect(bytes.frame(.v4) == Self.four && EnginePacket(frame: Self.four, .v4) == bytes)
        #expect(bytes.frame(.v3) == .binary([4, 1, 2, 3, 4]))
        #expect(EnginePacket(frame: .binary([4, 1, 2, 3, 4]), .v3) == bytes)
        #expect(EnginePacket(frame: .text("bAQIDBA=="), .v4) == bytes)
        #expect(EnginePacket(frame: .text("b4AQIDBA"), .v3) == bytes)
    }

    @Test("Malformed packets are refused", arguments: ["", "7", "abc", "b", "b!", "-1", "é"])
    func malformedText(text: String) {
        #expect(EnginePacket(frame: .text(text), .v3) == nil)
        // In version 4, `b` alone is an empty binary message.
        #expect((EnginePacket(frame: .text(text), .v4) == nil) == (text != "b"))
    }

    @Test("Version 3 refuses bytes without a type")
    func malformedBytes() {
        #expect(EnginePacket(frame: .binary([]), .v3) == nil)
        #expect(EnginePacket(frame: .binary([7]), .v3) == nil)
    }

    @Test("Version 4 separates the packets of a body by a record separator")
    func payloads4() {
        let packets = [
            EnginePacket(.message, text: "hello"), EnginePacket(.ping), EnginePacket(.message, text: "world"),
            EnginePacket(.message, Self.four),
        ]
        let payload = PollPayload(packets, .v4, asBinary: true)
        #expect(String(decoding: payload.bytes, as: UTF8.self) == "4hello\u{1E}2\u{1E}4world\u{1E}bAQIDBA==")
        #expect(!payload.isBinary && payload.packets(.v4) == packets)
    }

    @Test("A body of version 4 with a malformed packet is refused as a whole")
    func malformed4() {
        for text in ["", "abc", "4a\u{1E}", "\u{1E}4a", "4a\u{1E}9", "4a\u{1E}b="] {
            #expect(PollPayload(bytes: Array(text.utf8)).packets(.v4) == nil)
        }
        #expect(PollPayload(bytes: [0x34, 0xFF]).packets(.v4) == nil)
        #expect(PollPayload(bytes: Array("4a".utf8), isBinary: true).packets(.v4) == nil)
    }

    @Test(
        "Version 3 counts characters as JavaScript does",
        arguments: [
            (["4hello", "4€"], "6:4hello2:4€"), (["4😀"], "3:4😀"), (["4한글", "2"], "3:4한글1:2"),
            (["4👩‍👩‍👧"], "9:4👩‍👩‍👧"), (["6"], "1:6"),
        ])
    func payloads3(texts: [String], body: String) {
        let packets = texts.map { EnginePacket(text: Array($0.utf8))! }
        #expect(String(decoding: PollPayload(packets, .v3, asBinary: true).bytes, as: UTF8.self) == body)
        #expect(PollPayload(bytes: Array(body.utf8)).packets(.v3) == packets)
    }

    @Test("Version 3 sends bytes in Base64 to clients that ask for it, else as a binary body")
    func binary3() {
        let packets = [EnginePacket(.message, text: "€"), EnginePacket(.message, Self.four)]
        let base64 = PollPayload(packets, .v3, asBinary: false)
        #expect(String(decoding: base64.bytes, as: UTF8.self) == "2:4€10:b4AQIDBA==" && !base64.isBinary)
        #expect(base64.packets(.v3) == packets)
        let bytes = PollPayload(packets, .v3, asBinary: true)
        #expect(bytes.bytes == [0, 4, 255, 0x34, 0xE2, 0x82, 0xAC, 1, 5, 255, 4, 1, 2, 3, 4] && bytes.isBinary)
        #expect(bytes.packets(.v3) == packets)
        let long = [EnginePacket(.message, .binary([UInt8](repeating: 9, count: 1234)))]
        let longBytes = PollPayload(long, .v3, asBinary: true)
        #expect(longBytes.bytes.prefix(6) == [1, 1, 2, 3, 5, 255] && longBytes.packets(.v3) == long)
    }

    @Test("A body of version 3 with a malformed packet is refused as a whole")
    func malformed3() {
        for text in [
            "", "abc", ":4a", "1", "2:4", "6:4hello1", "x:4a", "-1:4", "2:9a", "1:b", "2:4😀", "4:4a2:4b",
            "99999999999:4",
            " 2:4a", "+2:4a",
        ] {
            #expect(PollPayload(bytes: Array(text.utf8)).packets(.v3) == nil, "\(text)")
        }
        for bytes in [
            [], [2, 1, 255, 0x34], [0, 255, 0x34], [0, 2, 255, 0x34], [0, 1, 0x34], [0, 10, 255, 0x34], [1, 1, 255, 9],
            [0, 2, 255, 0x34, 0xFF], [0],
        ] as [[UInt8]] {
            #expect(PollPayload(bytes: bytes, isBinary: true).packets(.v3) == nil, "\(bytes)")
        }
    }

    @Test("The number of packets in a body is limited")
    func tooMany() {
        let four = Array(repeating: "6", count: 10_001).joined(separator: "\u{1E}")
        #expect(PollPayload(bytes: Array(four.utf8)).packets(.v4) == nil)
        #expect(PollPayload(bytes: Array(four.dropLast(2).utf8)).packets(.v4)?.count == 10_000)
        let three = String(repeating: "1:6", count: 10_001)
        #expect(PollPayload(bytes: Array(three.utf8)).packets(.v3) == nil)
    }

    @Test("A shared packet has the same text for every transport")
    func shared() {
        let shared = SharedPacket(text: Array(#"2["a"]"#.utf8))
        #expect(shared.packet.text == Array(#"42["a"]"#.utf8))
        #expect(shared.frame.plain == [0x81, 7] + shared.packet.text)
    }
}
