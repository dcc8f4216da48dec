extension UInt8 {
    @inline(__always)
    var isASCIIDigit: Bool { self &- UInt8(ascii: "0") < 10 }

    /// The value of a hexadecimal digit of either case; nil for other characters.
    @inline(__always)
    var hexValue: UInt8? {
        if isASCIIDigit { return self & 15 }
        let letter = (self | 0x20) &- UInt8(ascii: "a")
        return letter < 6 ? letter + 10 : nil
    }
}
