/// The well-formed byte sequences of UTF-8 (Unicode, table 3-7).
enum UTF8Sequence {
    /// The length of the scalar at `index`, or 0 where there is none: overlong forms, surrogates and what is cut off.
    static func length(in input: Span<UInt8>, at index: Int) -> Int {
        let lead = input[index]
        switch lead {
        case 0x00...0x7F:
            return 1
        case 0xC2...0xDF:
            return continues(input, index + 1) ? 2 : 0
        case 0xE0...0xEF:
            let lower: UInt8 = lead == 0xE0 ? 0xA0 : 0x80
            let upper: UInt8 = lead == 0xED ? 0x9F : 0xBF
            return continues(input, index + 1, lower, upper) && continues(input, index + 2) ? 3 : 0
        case 0xF0...0xF4:
            let lower: UInt8 = lead == 0xF0 ? 0x90 : 0x80
            let upper: UInt8 = lead == 0xF4 ? 0x8F : 0xBF
            return continues(input, index + 1, lower, upper) && continues(input, index + 2)
                && continues(input, index + 3) ? 4 : 0
        default:
            return 0
        }
    }

    @inline(__always)
    private static func continues(
        _ input: Span<UInt8>, _ index: Int, _ lower: UInt8 = 0x80, _ upper: UInt8 = 0xBF
    ) -> Bool {
        index < input.count && input[index] >= lower && input[index] <= upper
    }
}
