internal import CZlib

/// Compresses messages by RFC 7692 §7.2.1. It belongs to one loop.
///
/// It holds 2^(windowBits + 2) + 2^(memoryLevel + 9) bytes: 256 KiB at 15 and 8, 32 KiB at 12 and 5.
final class Deflater {
    /// A compressed message refers back at most 2^windowBits bytes.
    let windowBits: Int
    /// zlib keeps its address, so it must not move.
    private let stream: UnsafeMutablePointer<z_stream>
    private static let trailer = 4
    /// The number of compressed messages.
    private(set) var messageCount = 0

    /// `windowBits` is 8 to 15, `level` 1 (fast) to 9 (small), `memoryLevel` 1 to 9.
    init(windowBits: Int = 15, level: Int = 1, memoryLevel: Int = 8) {
        precondition((8...15).contains(windowBits) && (1...9).contains(level) && (1...9).contains(memoryLevel))
        self.windowBits = windowBits
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // zlib has no raw window of 256 bytes, but with one of 512 it refers back 250 bytes at most.
        let zlibBits = max(9, windowBits)
        let status = cz_deflate_init_raw(stream, Int32(level), Int32(zlibBits), Int32(memoryLevel))
        precondition(status == Z_OK, "zlib: \(status)")
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// Compresses a message; without `keepingContext` it does not refer to earlier messages.
    func compress(_ bytes: [UInt8], keepingContext: Bool) -> [UInt8] {
        messageCount += 1
        if !keepingContext { deflateReset(stream) }
        // An empty block: zlib writes nothing if it has just flushed.
        guard !bytes.isEmpty else { return [0] }
        let capacity = Int(deflateBound(stream, UInt(bytes.count))) + 16
        return bytes.withUnsafeBufferPointer { input in
            // zlib does not write to its input.
            stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
            stream.pointee.avail_in = UInt32(input.count)
            return run(capacity: capacity)
        }
    }

    private func run(capacity: Int) -> [UInt8] {
        var output = flush(into: capacity)
        while stream.pointee.avail_out == 0 { output += flush(into: 4096) }
        // A sync flush ends with 00 00 FF FF, which the receiver appends again.
        output.removeLast(Self.trailer)
        return output
    }

    private func flush(into room: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: room) { chunk, count in
            stream.pointee.next_out = chunk.baseAddress
            stream.pointee.avail_out = UInt32(room)
            let status = deflate(stream, Z_SYNC_FLUSH)
            precondition(status == Z_OK || status == Z_BUF_ERROR, "zlib: \(status)")
            count = room - Int(stream.pointee.avail_out)
        }
    }
}
