/// Bytes in which a missing, repeated or moved part is detected; fast enough for a sanitizer.
enum Pattern {
    private static let period = (0..<2048).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }

    /// - Parameter number: gives different bytes for different numbers.
    static func bytes(_ count: Int, of number: Int = 0) -> [UInt8] {
        let period = period.map { $0 &+ UInt8(truncatingIfNeeded: number) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + period.count)
        while bytes.count < count { bytes += period }
        bytes.removeLast(bytes.count - count)
        return bytes
    }
}
