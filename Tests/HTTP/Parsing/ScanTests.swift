import TestSupport
import Testing

@testable import HTTP

@Suite("Scans of eight bytes at a time")
struct ScanTests {
    /// Bytes at the borders of the character classes.
    private static let borders: [UInt8] = [
        0x00, 0x08, 0x09, 0x0A, 0x0D, 0x1F, 0x20, 0x21, 0x22, 0x23, 0x2C, 0x2D, 0x2E, 0x30, 0x3A, 0x3E, 0x3F, 0x40,
        0x41,
        0x5A, 0x5B, 0x60, 0x61, 0x7A, 0x7B, 0x7E, 0x7F, 0x80, 0xAD, 0xC1, 0xE1, 0xFF,
    ]

    @Test("Values and tokens end at the same byte as in a scan byte by byte", arguments: 0..<20)
    func ends(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<2000 {
            var text = [UInt8](repeating: UInt8(ascii: "k"), count: Int.random(in: 0...70, using: &random))
            for _ in 0..<Int.random(in: 0...3, using: &random) where !text.isEmpty {
                text[Int.random(in: text.indices, using: &random)] = Self.borders.randomElement(using: &random)!
            }
            let start = Int.random(in: 0...text.count, using: &random)
            func end(_ isInside: (UInt8) -> Bool) -> Int { text[start...].firstIndex { !isInside($0) } ?? text.count }
            text.withUnsafeBytes { bytes in
                #expect(FieldValue.end(in: bytes, from: start) == end(Token.isValueByte), "\(text) from \(start)")
                #expect(Token.end(in: bytes, from: start) == end(Token.isTokenByte), "\(text) from \(start)")
            }
        }
    }

    @Test("A target ends at the first byte that it may not contain, at every offset")
    func targets() {
        for byte in UInt8.min...UInt8.max {
            for length in 0...17 {
                let path = "/" + String(repeating: "p", count: length)
                var parser = RequestParser(limits: RequestLimits())
                let head = Array("GET \(path)".utf8) + [byte] + Array("q HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
                let count = try? head.withUnsafeBytes { try parser.parse($0) }
                let isAllowed = (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "#")
                #expect((count == head.count) == isAllowed, "\(byte) behind \(path)")
                let isQuestion = byte == UInt8(ascii: "?")
                if isAllowed { #expect((parser.parts.query != nil) == isQuestion, "\(byte) behind \(path)") }
            }
        }
    }
}
