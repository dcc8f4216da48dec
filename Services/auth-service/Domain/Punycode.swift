/// The encoding of Unicode text in ASCII (RFC 3492).
enum Punycode {
    private static let (base, tMin, tMax, skew, damp): (UInt32, UInt32, UInt32, UInt32, UInt32) = (36, 1, 26, 38, 700)
    private static let initialBias: UInt32 = 72
    private static let initialN: UInt32 = 0x80

    /// Returns the encoded text, or nil if its numbers overflow.
    static func encode(_ text: String) -> String? {
        let scalars = text.unicodeScalars.map(\.value)
        var output = scalars.filter { $0 < initialN }.map { UInt8($0) }
        let basicCount = UInt32(output.count)
        if basicCount > 0 { output.append(UInt8(ascii: "-")) }
        var (n, delta, bias, handled) = (initialN, UInt32(0), initialBias, basicCount)
        while handled < UInt32(scalars.count) {
            guard let next = scalars.lazy.filter({ $0 >= n }).min() else { return nil }
            let (step, overflows) = (next - n).multipliedReportingOverflow(by: handled + 1)
            let (sum, sumOverflows) = delta.addingReportingOverflow(step)
            if overflows || sumOverflows { return nil }
            (n, delta) = (next, sum)
            for scalar in scalars {
                if scalar < n { delta += 1 }
                guard scalar == n else { continue }
                append(delta, bias, to: &output)
                bias = adapt(delta, handled + 1, isFirst: handled == basicCount)
                delta = 0
                handled += 1
            }
            delta += 1
            n += 1
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// Appends a number in the variable-length digits of the encoding.
    private static func append(_ number: UInt32, _ bias: UInt32, to output: inout [UInt8]) {
        var (rest, position) = (number, base)
        while true {
            let threshold = position <= bias ? tMin : min(tMax, max(tMin, position - bias))
            if rest < threshold { break }
            output.append(digit(threshold + (rest - threshold) % (base - threshold)))
            rest = (rest - threshold) / (base - threshold)
            position += base
        }
        output.append(digit(rest))
    }

    private static func digit(_ value: UInt32) -> UInt8 {
        UInt8(value < 26 ? value + 0x61 : value - 26 + 0x30)
    }

    private static func adapt(_ delta: UInt32, _ count: UInt32, isFirst: Bool) -> UInt32 {
        var delta = isFirst ? delta / damp : delta / 2
        delta += delta / count
        var bias: UInt32 = 0
        while delta > ((base - tMin) * tMax) / 2 {
            delta /= base - tMin
            bias += base
        }
        return bias + (base - tMin + 1) * delta / (delta + skew)
    }
}
