/// The bytes of a record of a zip archive: a signature and little-endian numbers.
struct ZipRecord {
    private(set) var bytes: [UInt8] = []

    init(_ signature: UInt32) { append(signature) }

    mutating func append(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func append(_ text: [UInt8]) { bytes += text }
}
