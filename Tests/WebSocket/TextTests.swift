import Testing

@testable import WebSocket

@Suite("UTF-8 of text messages")
struct TextTests {
    private static let greek: [UInt8] = [0xCE, 0xBA, 0xE1, 0xBD, 0xB9, 0xCF, 0x83, 0xCE, 0xBC, 0xCE, 0xB5]

    private static let valid: [[UInt8]] =
        [
            Array("hello$world".utf8), Array("hello¢world".utf8), Array("hello€world".utf8), Array("hello𤭢world".utf8),
            greek,
            [0x00], [0xC2, 0x80], [0xE0, 0xA0, 0x80], [0xF0, 0x90, 0x80, 0x80], [0x7F], [0xDF, 0xBF],
            [0xEF, 0xBF, 0xBF], [0xF4, 0x8F, 0xBF, 0xBF], [0xED, 0x9F, 0xBF], [0xEE, 0x80, 0x80], [0xEF, 0xBF, 0xBD],
            [0xEF, 0xBF, 0xBE], [0xF0, 0x9F, 0xBF, 0xBF], [0xF3, 0xBF, 0xBF, 0xBE],
        ]

    private static let invalid: [[UInt8]] = {
        let cutOff: [[UInt8]] = [
            [0xC0], [0xE0, 0x80], [0xF0, 0x80, 0x80], [0xF8, 0x80, 0x80, 0x80], [0xFC, 0x80, 0x80, 0x80, 0x80], [0xDF],
            [0xEF, 0xBF], [0xF7, 0xBF, 0xBF], [0xFB, 0xBF, 0xBF, 0xBF], [0xFD, 0xBF, 0xBF, 0xBF, 0xBF],
        ]
        let lonelyLeads = (0xC0...0xFD).map { [UInt8($0), 0x20] }
        let continuations = (1...7).map { (0..<$0).map { UInt8($0 % 2 == 0 ? 0x80 : 0xBF) } }
        let overlong: [[UInt8]] = [
            [0xC0, 0xAF], [0xE0, 0x80, 0xAF], [0xF0, 0x80, 0x80, 0xAF], [0xC1, 0xBF], [0xE0, 0x9F, 0xBF],
            [0xF0, 0x8F, 0xBF, 0xBF], [0xC0, 0x80], [0xE0, 0x80, 0x80], [0xF0, 0x80, 0x80, 0x80],
        ]
        let surrogates: [[UInt8]] = [
            [0xED, 0xA0, 0x80], [0xED, 0xAF, 0xBF], [0xED, 0xB0, 0x80], [0xED, 0xBF, 0xBF],
            [0xED, 0xA0, 0x80, 0xED, 0xB0, 0x80], [0xED, 0xAF, 0xBF, 0xED, 0xBF, 0xBF],
        ]
        let beyond: [[UInt8]] = [
            [0xF4, 0x90, 0x80, 0x80], [0xF7, 0xBF, 0xBF, 0xBF], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFE], [0xFF],
            [0xFE, 0xFE, 0xFF, 0xFF],
        ]
        return cutOff + [cutOff.flatMap { $0 }] + lonelyLeads + continuations + overlong + surrogates + beyond
    }()

    @Test("Valid text comes back, cut into fragments and chunks anywhere", arguments: valid)
    func accepted(text: [UInt8]) throws {
        for padding in [0, 7, 8, 9] {
            let text = Array(repeating: UInt8(ascii: "a"), count: padding) + text + [0x62]
            for cut in 0...text.count {
                var peer = EchoPeer()
                peer.take(
                    [
                        TestFrame(isFinal: false, opcode: 1, payload: Array(text[..<cut])), .more([]),
                        .more(Array(text[cut...]), final: true),
                    ], chop: cut % 3 + 1)
                #expect(try peer.reply() == [TestFrame(opcode: 1, payload: text)])
            }
        }
    }

    @Test("Invalid text ends the connection with 1007 and is not delivered", arguments: invalid)
    func refused(text: [UInt8]) throws {
        for padding in [0, 7, 8] {
            let text = Array(repeating: UInt8(ascii: "a"), count: padding) + text
            for cut in 0...text.count {
                var peer = EchoPeer()
                peer.take([
                    TestFrame(isFinal: false, opcode: 1, payload: Array(text[..<cut])),
                    .more(Array(text[cut...]), final: true),
                ])
                #expect(peer.ending?.code == .invalidPayload)
                #expect(peer.delivered == 0)
                #expect(try peer.reply().map(\.opcode) == [8])
            }
        }
    }

    @Test("Every prefix of a text is checked as a text of its own")
    func prefixes() {
        for length in 0...Self.greek.count {
            let prefix = Array(Self.greek[..<length])
            var peer = EchoPeer()
            peer.take([TestFrame(opcode: 1, payload: prefix)])
            #expect((peer.ending == nil) == (String(validating: prefix, as: UTF8.self) != nil))
        }
    }

    @Test("Text fails with the first fragment, and the first byte in it, that makes it invalid")
    func failsFast() {
        let invalid: [UInt8] = Self.greek + [0xF4, 0x90, 0x80, 0x80] + Array("edited".utf8)
        let bytes = TestFrame(isFinal: false, opcode: 1, payload: invalid).bytes()
        let headerSize = bytes.count - invalid.count
        var peer = EchoPeer()
        peer.take(Array(bytes[..<(headerSize + 12)]), chop: 1)
        #expect(peer.ending == nil)
        peer.take([bytes[headerSize + 12]])
        #expect(peer.ending?.code == .invalidPayload)

        peer = EchoPeer()
        peer.take([TestFrame(isFinal: false, opcode: 1, payload: Array(invalid[..<12]))])
        #expect(peer.ending == nil)
        peer.take([.more([0x90])])
        #expect(peer.ending?.code == .invalidPayload)
    }

    @Test("Binary messages are not checked")
    func binary() throws {
        var peer = EchoPeer()
        let frames = Self.invalid.map { TestFrame.binary($0) }
        peer.take(frames)
        #expect(try peer.reply() == frames)
    }

    @Test("Every scalar is accepted, and every invalid pair of bytes is refused")
    func exhaustive() {
        // A refused scalar is refused among its neighbours as well.
        for row in UInt32(0)..<0x1100 {
            let scalars = (0..<256).compactMap { Unicode.Scalar(row << 8 + $0) }
            var checker = TextChecker()
            let encoded = Array(String(String.UnicodeScalarView(scalars)).utf8)
            let isValid = encoded.withUnsafeBytes { checker.accept($0) } && checker.isBetweenCharacters
            if !isValid { return #expect(Bool(false), "a scalar from U+\(String(row << 8, radix: 16)) is refused") }
        }
        for first in UInt8.min...UInt8.max {
            for second in UInt8.min...UInt8.max {
                var checker = TextChecker()
                let isValid = [first, second].withUnsafeBytes { checker.accept($0) } && checker.isBetweenCharacters
                let expected = String(validating: [first, second], as: UTF8.self) != nil
                if isValid != expected { return #expect(Bool(false), "\(first) \(second)") }
            }
        }
    }
}
