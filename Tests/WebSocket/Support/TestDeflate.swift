import CZlib

/// The peer's zlib, used byte by byte, so that it can refer only to its window.
final class TestDeflate {
    private let out = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private let back = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private let keepsContext: Bool

    init(windowBits: Int = 15, keepsContext: Bool = true, level: Int = 9) {
        out.initialize(to: z_stream())
        back.initialize(to: z_stream())
        self.keepsContext = keepsContext
        precondition(cz_deflate_init_raw(out, Int32(level), Int32(max(9, windowBits)), 9) == Z_OK)
        precondition(cz_inflate_init_raw(back, Int32(windowBits)) == Z_OK)
    }

    deinit {
        deflateEnd(out)
        inflateEnd(back)
        out.deallocate()
        back.deallocate()
    }

    func deflated(_ bytes: [UInt8], flush: Int32 = Z_SYNC_FLUSH) -> [UInt8] {
        if !keepsContext { deflateReset(out) }
        if bytes.isEmpty { return [0] }
        var input = bytes
        var output = [UInt8](repeating: 0, count: bytes.count * 2 + 1000)
        let count = input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                out.pointee.next_in = input.baseAddress
                out.pointee.avail_in = UInt32(input.count)
                out.pointee.next_out = output.baseAddress
                out.pointee.avail_out = UInt32(output.count)
                precondition(deflate(out, flush) == (flush == Z_FINISH ? Z_STREAM_END : Z_OK))
                return output.count - Int(out.pointee.avail_out)
            }
        }
        return Array(output[..<(flush == Z_FINISH ? count : count - 4)])
    }

    /// Returns nil for invalid data, such as a reference beyond the window.
    func inflated(_ bytes: [UInt8]) -> [UInt8]? {
        if !keepsContext { inflateReset(back) }
        var input = bytes + [0, 0, 0xFF, 0xFF]
        var output: [UInt8] = []
        return input.withUnsafeMutableBufferPointer { input in
            back.pointee.next_in = input.baseAddress
            back.pointee.avail_in = UInt32(input.count)
            var byte: UInt8 = 0
            while true {
                back.pointee.avail_out = 1
                let status = withUnsafeMutablePointer(to: &byte) { place in
                    back.pointee.next_out = place
                    return inflate(back, Z_SYNC_FLUSH)
                }
                guard status == Z_OK || status == Z_BUF_ERROR else { return nil }
                guard back.pointee.avail_out == 0 else { return output }
                output.append(byte)
            }
        }
    }
}
