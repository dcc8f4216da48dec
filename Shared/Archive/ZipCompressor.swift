internal import CZlib

/// Compresses the content of zip entries with zlib, one entry after the other.
///
/// - Note: Not `Sendable`; it belongs to its `ZipWriter`.
final class ZipCompressor {
    /// zlib keeps its address, so it must not move.
    private let stream: UnsafeMutablePointer<z_stream>

    private static let level: Int32 = 6
    private static let windowBits: Int32 = 15
    private static let memoryLevel: Int32 = 8
    private static let chunk = 64 * 1024

    init() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let status = cz_deflate_init_raw(stream, Self.level, Self.windowBits, Self.memoryLevel)
        precondition(status == Z_OK, "zlib: \(status)")
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// Begins the content of the next entry.
    func reset(_ compression: ZipWriter.Compression) {
        deflateReset(stream)
        // Without input this only sets the level: 0 copies.
        deflateParams(stream, compression == .copied ? 0 : Self.level, Z_DEFAULT_STRATEGY)
    }

    /// Compresses a piece; the last one ends the content.
    func compress(_ bytes: Span<UInt8>, isLast: Bool) -> [UInt8] {
        guard !bytes.isEmpty || isLast else { return [] }
        return bytes.withUnsafeBufferPointer { input in
            // zlib does not write to its input.
            stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
            stream.pointee.avail_in = UInt32(input.count)
            var output: [UInt8] = []
            while true {
                let (piece, status) = step(isLast ? Z_FINISH : Z_NO_FLUSH)
                output += piece
                let isDone = isLast ? status == Z_STREAM_END : piece.count < Self.chunk
                if isDone { return output }
            }
        }
    }

    private func step(_ flush: Int32) -> ([UInt8], Int32) {
        var status = Z_OK
        let piece = [UInt8](unsafeUninitializedCapacity: Self.chunk) { chunk, count in
            stream.pointee.next_out = chunk.baseAddress
            stream.pointee.avail_out = UInt32(Self.chunk)
            status = deflate(stream, flush)
            precondition(status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR, "zlib: \(status)")
            count = Self.chunk - Int(stream.pointee.avail_out)
        }
        return (piece, status)
    }

    /// The CRC-32 of bytes that follow others with the checksum `before`.
    static func checksum(_ bytes: Span<UInt8>, after before: UInt32) -> UInt32 {
        bytes.withUnsafeBufferPointer { UInt32(truncatingIfNeeded: crc32_z(UInt(before), $0.baseAddress, $0.count)) }
    }
}
