import Testing
import Wire

@Suite("Bytes are written")
struct ByteWriterTests {
    private func text(_ write: (inout ByteWriter) -> Void) -> String {
        var output = ByteWriter()
        write(&output)
        return String(decoding: output.bytes, as: UTF8.self)
    }

    @Test("Pieces of every type are appended in order")
    func pieces() {
        let written = text { output in
            output.append("static")
            output.append(UInt8(ascii: " "))
            output.append(String("가나"))
            output.append("xyz".dropFirst())
            output.append(Array("bytes".utf8))
            output.append(Array("slice".utf8)[1...])
            output.append(Unicode.Scalar("🏠"))
        }
        #expect(written == "static 가나yzbyteslice🏠")
    }

    @Test(
        "Decimals are the same as the standard library's",
        arguments: [0, 1, 9, 10, 99, 100, 12345, Int64.max, .min, -1, -10])
    func decimals(value: Int64) {
        #expect(text { $0.append(decimal: value) } == "\(value)")
        #expect(text { $0.append(decimal: UInt64(bitPattern: value)) } == "\(UInt64(bitPattern: value))")
    }

    @Test("Every power of ten and its neighbours are written correctly")
    func powersOfTen() {
        var power: UInt64 = 1
        for _ in 0..<20 {
            for value in [power - 1, power, power + 1] { #expect(text { $0.append(decimal: value) } == "\(value)") }
            power = power.multipliedReportingOverflow(by: 10).partialValue
        }
    }

    @Test("Padded decimals have their width")
    func padded() {
        #expect(text { $0.append(decimal: 7, width: 3) } == "007")
        #expect(text { $0.append(decimal: 1234, width: 3) } == "234")
        #expect(text { $0.append(decimal: 0, width: 1) } == "0")
    }

    @Test("Hexadecimal digits are lower-case", arguments: [0, 1, 15, 16, 255, 256, 0xDEAD_BEEF, UInt64.max])
    func hexadecimal(value: UInt64) {
        #expect(text { $0.append(hex: value) } == String(value, radix: 16))
    }

    @Test("take returns the bytes and leaves the writer empty")
    func taking() {
        var output = ByteWriter()
        output.append("a")
        #expect(output.take() == [0x61])
        #expect(output.isEmpty)
        output.append("b")
        #expect(output.bytes == [0x62])
    }
}
