import Testing
import Wire

@Suite("Hexadecimal")
struct HexadecimalTests {
    @Test("Bytes are written in lower case and read in either case")
    func roundTrip() {
        let bytes = [UInt8](0...255)
        let text = Hexadecimal.encode(bytes.span)
        #expect(text.hasPrefix("000102"))
        #expect(text.hasSuffix("fdfeff"))
        #expect(Hexadecimal.decode(text.utf8.span) == bytes)
        #expect(Hexadecimal.decode(text.uppercased().utf8.span) == bytes)
    }

    @Test("Other text is refused", arguments: ["a", "0g", "g0", "0x", " 0", "00 ", "\u{FF10}0"])
    func refused(text: String) {
        #expect(Hexadecimal.decode(text.utf8.span) == nil)
    }
}
