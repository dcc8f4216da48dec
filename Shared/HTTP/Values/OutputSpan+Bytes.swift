/// Appends the parts of a head to memory that was reserved once for the whole head.
extension OutputSpan<UInt8> {
    @inline(__always)
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        withUnsafeMutableBufferPointer { memory, count in
            let room = UnsafeMutableRawBufferPointer(memory)[count...]
            UnsafeMutableRawBufferPointer(rebasing: room).copyMemory(from: bytes)
            count += bytes.count
        }
    }

    @inline(__always)
    mutating func append(_ text: StaticString) {
        append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends a number, which must not be negative, in decimal digits.
    mutating func append(decimal value: Int) {
        var rest = value
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var start = digits.count
            repeat {
                start -= 1
                digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            append(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(digits)[start...]))
        }
    }
}
