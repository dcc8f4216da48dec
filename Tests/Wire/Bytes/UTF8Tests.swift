import Testing
import Wire

@Suite("UTF-8 validation")
struct UTF8Tests {
    /// The bytes at which the rules of UTF-8 change.
    private static let edges: [UInt8] = [
        0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE,
        0xEF, 0xF0,
        0xF1, 0xF3, 0xF4, 0xF5, 0xFF,
    ]

    private func agrees(_ bytes: [UInt8]) -> Bool {
        bytes.span.isUTF8 == (String(validating: bytes, as: UTF8.self) != nil)
    }

    @Test("Every sequence of up to four bytes at the edges of the rules is judged as the standard library judges it")
    func shortSequences() {
        var wrong = agrees([]) ? 0 : 1
        for first in Self.edges {
            wrong += agrees([first]) ? 0 : 1
            for second in Self.edges {
                wrong += agrees([first, second]) ? 0 : 1
                for third in Self.edges {
                    wrong += agrees([first, second, third]) ? 0 : 1
                    guard first >= 0xE0 else { continue }
                    for fourth in Self.edges { wrong += agrees([first, second, third, fourth]) ? 0 : 1 }
                }
            }
        }
        #expect(wrong == 0)
    }

    @Test("Every pair of bytes is judged as the standard library judges it")
    func pairs() {
        var wrong = 0
        for pair in 0...UInt16.max {
            wrong += agrees([UInt8(pair >> 8), UInt8(truncatingIfNeeded: pair), 0x80]) ? 0 : 1
        }
        #expect(wrong == 0)
    }

    @Test("An error is found at every offset of a text of any length")
    func everyPlace() {
        let sequences: [[UInt8]] = [
            [0xC3, 0xA9], [0xEA, 0xB0, 0x80], [0xF0, 0x9F, 0x8F, 0xA0], [0xED, 0xA0, 0x80], [0xE0, 0x80, 0x80],
            [0xC0, 0xAF],
            [0xF4, 0x90, 0x80, 0x80], [0xF0, 0x80, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0x80], [0xEA, 0xB0],
            [0xF0, 0x9F, 0x8F],
            [0xC3], [0xF0, 0x9F, 0x8F, 0xA0, 0x80],
        ]
        var wrong = 0
        for length in 0...40 {
            for offset in 0...length {
                for sequence in sequences {
                    var bytes = [UInt8](repeating: 0x61, count: length)
                    bytes.insert(contentsOf: sequence, at: offset)
                    wrong += agrees(bytes) ? 0 : 1
                }
            }
        }
        #expect(wrong == 0)
    }

    @Test("Random texts with a random byte changed are judged as the standard library judges them")
    func randomChanges() {
        var wrong = 0
        for _ in 0..<20_000 {
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 1..<30) {
                bytes += Array(String(["a", "é", "가", "🏠", "힣", "\u{FFFF}"].randomElement()!).utf8)
            }
            wrong += agrees(bytes) ? 0 : 1
            bytes[Int.random(in: 0..<bytes.count)] = Self.edges.randomElement()!
            wrong += agrees(bytes) ? 0 : 1
        }
        #expect(wrong == 0)
    }
}
