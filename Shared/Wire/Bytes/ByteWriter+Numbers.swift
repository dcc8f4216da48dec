extension ByteWriter {
    /// Appends `value` in decimal, with a leading `-` when it is negative.
    @inlinable
    public mutating func append(decimal value: some FixedWidthInteger & SignedInteger) {
        let value = Int64(value)
        append(magnitude: value.magnitude, negative: value < 0)
    }

    /// Appends `value` in decimal.
    @inlinable
    public mutating func append(decimal value: some FixedWidthInteger & UnsignedInteger) {
        append(magnitude: UInt64(value), negative: false)
    }

    /// Appends `value` in decimal, padded with zeros to `width` digits; higher digits are dropped.
    public mutating func append(decimal value: Int, width: Int) {
        append(atMost: width) { output in
            var divisor = 1
            for _ in 1..<max(width, 1) { divisor *= 10 }
            while divisor > 0 {
                output.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / divisor % 10))
                divisor /= 10
            }
        }
    }

    /// Appends the lower-case hexadecimal digits of `value`, without leading zeros.
    public mutating func append(hex value: UInt64) {
        let digits = max(1, (67 - value.leadingZeroBitCount) / 4)
        append(atMost: digits) { output in
            for shift in stride(from: (digits - 1) * 4, through: 0, by: -4) {
                output.append(hexDigit(UInt8(truncatingIfNeeded: value >> UInt64(shift)) & 15))
            }
        }
    }

    /// Appends two lower-case hexadecimal digits for each byte.
    public mutating func append(hex span: Span<UInt8>) {
        append(atMost: span.count * 2) { output in
            for index in span.indices {
                output.append(hexDigit(span[index] >> 4))
                output.append(hexDigit(span[index] & 15))
            }
        }
    }

    @usableFromInline
    mutating func append(magnitude: UInt64, negative: Bool) {
        append(atMost: 20) { output in
            if negative { output.append(UInt8(ascii: "-")) }
            var digits = 1
            var bound: UInt64 = 10
            while digits < 20 && magnitude >= bound {
                digits += 1
                bound = digits < 20 ? bound &* 10 : .max
            }
            let start = output.count
            for _ in 0..<digits { output.append(0) }
            var rest = magnitude
            var index = start + digits
            while index > start {
                index -= 1
                let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
                output[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit)
                rest = quotient
            }
        }
    }
}

/// The lower-case digit of `value`, which is below 16.
@inline(__always)
func hexDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value
}
