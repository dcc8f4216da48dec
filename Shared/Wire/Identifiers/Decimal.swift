/// Decimal numbers in canonical form.
@usableFromInline enum Decimal {
    /// A number from 1 to the largest of 64 bits, without sign and leading zeros.
    @usableFromInline
    static func positive(_ text: Span<UInt8>) -> Int64? {
        guard (1...19).contains(text.count), text[0] != UInt8(ascii: "0") else { return nil }
        var value: Int64 = 0
        for index in text.indices {
            guard text[index].isASCIIDigit else { return nil }
            let (product, tooLarge) = value.multipliedReportingOverflow(by: 10)
            let (sum, overflow) = product.addingReportingOverflow(Int64(text[index] & 15))
            if tooLarge || overflow { return nil }
            value = sum
        }
        return value
    }
}
