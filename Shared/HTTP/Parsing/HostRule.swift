/// The form of a Host value: a name, an IPv4 address or an IPv6 address in brackets, with an optional port.
enum HostRule {
    static func isValid(_ text: UnsafeRawBufferPointer) -> Bool {
        var position = 0
        if text.first == UInt8(ascii: "[") {
            position = 1
            while position < text.count, isAddressByte(text[position]) { position += 1 }
            guard position > 1, position < text.count, text[position] == UInt8(ascii: "]") else { return false }
            position += 1
        } else {
            while position < text.count, isNameByte(text[position]) { position += 1 }
            guard position > 0 else { return false }
        }
        guard position < text.count else { return true }
        guard text[position] == UInt8(ascii: ":"), text.count - position <= 6 else { return false }
        return text[(position + 1)...].allSatisfy { $0 &- UInt8(ascii: "0") < 10 }
    }

    private static func isAddressByte(_ byte: UInt8) -> Bool {
        let letter = (byte | 0x20) &- UInt8(ascii: "a")
        return byte &- UInt8(ascii: "0") < 10 || letter < 6 || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".")
    }

    private static let lowNameBits: UInt64 = 0x2BFF_6FF2_0000_0000
    private static let highNameBits: UInt64 = 0x47FF_FFFE_87FF_FFFE

    /// The characters of RFC 3986's reg-name: unreserved, sub-delimiters and the percent sign. A comma is excluded: it
    /// would make the value a list.
    private static func isNameByte(_ byte: UInt8) -> Bool {
        if byte < 64 { return lowNameBits & (1 << UInt64(byte)) != 0 }
        return byte < 128 && highNameBits & (1 << UInt64(byte - 64)) != 0
    }
}
