internal import CZlib

/// Decompresses messages by RFC 7692 §7.2.2. It belongs to one loop and holds about 40 KiB at 15 window bits.
final class Inflater {
    /// zlib keeps its address, so it must not move.
    private let stream: UnsafeMutablePointer<z_stream>
    private static let trailer: [UInt8] = [0x00, 0x00, 0xFF, 0xFF]
    /// The number of blocks marked as the last that one message may have. Real senders mark one at most; each costs two
    /// copies of the window for two bytes of input.
    private static let mostLastBlocks = 16

    /// `windowBits` is 8 to 15 and not less than the sender's.
    init(windowBits: Int = 15) {
        precondition((8...15).contains(windowBits))
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let status = cz_inflate_init_raw(stream, Int32(windowBits))
        precondition(status == Z_OK, "zlib: \(status)")
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Decompresses a payload; with `keepingContext` it may refer to earlier messages.
    ///
    /// - Throws: 1007 if the payload is not deflate or has too many last blocks, 1009 beyond `limit` bytes.
    func expand(
        _ bytes: [UInt8], keepingContext: Bool, limit: Int
    ) throws(ProtocolFailure) -> [UInt8] {
        if !keepingContext { inflateReset(stream) }
        var output = Output(limit: limit, expecting: bytes.count)
        try feed(bytes, into: &output)
        try feed(Self.trailer, into: &output)
        return output.bytes
    }

    private func feed(_ bytes: [UInt8], into output: inout Output) throws(ProtocolFailure) {
        try bytes.withUnsafeBufferPointer { input throws(ProtocolFailure) in
            // zlib does not write to its input.
            stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
            stream.pointee.avail_in = UInt32(input.count)
            repeat {
                switch output.take(from: stream) {
                case Z_OK, Z_BUF_ERROR: break
                case Z_STREAM_END:
                    output.lastBlocks += 1
                    guard output.lastBlocks <= Self.mostLastBlocks else {
                        throw ProtocolFailure(.invalidPayload, "too many last blocks")
                    }
                    beginNextStream()
                default: throw ProtocolFailure(.invalidPayload, "cannot be inflated")
                }
                guard output.bytes.count <= output.limit else { throw .tooBig }
            } while stream.pointee.avail_in > 0 || stream.pointee.avail_out == 0
        }
    }

    /// After a block marked as the last (RFC 7692 §7.2.3.4), another stream may follow that refers to earlier bytes.
    private func beginNextStream() {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32768) { window in
            var count: UInt32 = 0
            inflateGetDictionary(stream, window.baseAddress, &count)
            inflateReset(stream)
            if count > 0 { inflateSetDictionary(stream, window.baseAddress, count) }
        }
    }

    /// The decompressed bytes. They grow to one byte above the limit, which shows that the limit is exceeded.
    private struct Output {
        let limit: Int
        var bytes: [UInt8] = []
        var lastBlocks = 0
        private var chunk: Int

        init(limit: Int, expecting compressed: Int) {
            self.limit = limit
            chunk = min(max(256, compressed * 3), limit)
        }

        mutating func take(from stream: UnsafeMutablePointer<z_stream>) -> Int32 {
            let room = min(chunk, limit - bytes.count) + 1
            chunk = chunk > limit / 2 ? limit : chunk * 2
            var status = Z_OK
            let part = [UInt8](unsafeUninitializedCapacity: room) { part, count in
                stream.pointee.next_out = part.baseAddress
                stream.pointee.avail_out = UInt32(room)
                status = inflate(stream, Z_SYNC_FLUSH)
                count = room - Int(stream.pointee.avail_out)
            }
            if bytes.isEmpty { bytes = part } else { bytes.append(contentsOf: part) }
            return status
        }
    }
}
