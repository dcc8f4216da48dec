/// The first 2 to 14 bytes of a frame.
struct FrameHeader: Equatable {
    var isFinal: Bool
    /// RSV1: with permessage-deflate, the message that starts here is compressed.
    var isCompressed: Bool
    var opcode: Opcode
    /// In wire order, with the first byte lowest; nil for a frame without mask.
    var maskKey: UInt32?
    var length: Int

    /// The largest payload of a control frame.
    static let maximumControlLength = 125

    /// Reads a header from the start of `bytes` and returns it with its size; nil if bytes are missing.
    ///
    /// Errors in the first two bytes are reported before the others have arrived.
    static func read(
        _ bytes: UnsafeRawBufferPointer
    ) throws(ProtocolFailure) -> (header: FrameHeader, size: Int)? {
        guard bytes.count >= 2 else { return nil }
        let (first, second) = (bytes[0], bytes[1])
        guard first & 0x30 == 0 else { throw .protocolError("reserved bits set") }
        guard let opcode = Opcode(rawValue: first & 0x0F) else { throw .protocolError("reserved opcode") }
        var header = FrameHeader(
            isFinal: first & 0x80 != 0, isCompressed: first & 0x40 != 0, opcode: opcode, length: Int(second & 0x7F))
        if opcode.isControl {
            guard header.isFinal else { throw .protocolError("fragmented control frame") }
            guard header.length <= maximumControlLength else { throw .protocolError("control frame too long") }
            guard !header.isCompressed else { throw .protocolError("compressed control frame") }
        }
        let lengthSize = header.length == 127 ? 8 : header.length == 126 ? 2 : 0
        let isMasked = second & 0x80 != 0
        let size = 2 + lengthSize + (isMasked ? 4 : 0)
        guard bytes.count >= size else { return nil }
        if lengthSize > 0 {
            header.length = try readLength(UnsafeRawBufferPointer(rebasing: bytes[2..<(2 + lengthSize)]))
        }
        if isMasked {
            header.maskKey = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: size - 4, as: UInt32.self))
        }
        return (header, size)
    }

    /// Reads an extended length, which must use the shortest form for its value.
    private static func readLength(_ bytes: UnsafeRawBufferPointer) throws(ProtocolFailure) -> Int {
        let length = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard length >= (bytes.count == 2 ? 126 : 65536) else { throw .protocolError("length not minimal") }
        guard let length = Int(exactly: length) else { throw .protocolError("length above 63 bits") }
        return length
    }

    /// The number of bytes that `write` appends.
    var size: Int { 2 + (length < 126 ? 0 : length < 65536 ? 2 : 8) + (maskKey == nil ? 0 : 4) }

    /// Appends the header in its shortest form.
    func write(to bytes: inout [UInt8]) {
        bytes.append((isFinal ? 0x80 : 0) | (isCompressed ? 0x40 : 0) | opcode.rawValue)
        let mark: UInt8 = maskKey == nil ? 0 : 0x80
        if length < 126 {
            bytes.append(mark | UInt8(length))
        } else if length < 65536 {
            bytes.append(mark | 126)
            bytes.append(UInt8(length >> 8))
            bytes.append(UInt8(length & 0xFF))
        } else {
            bytes.append(mark | 127)
            withUnsafeBytes(of: UInt64(length).bigEndian) { bytes.append(contentsOf: $0) }
        }
        if let maskKey { withUnsafeBytes(of: maskKey.littleEndian) { bytes.append(contentsOf: $0) } }
    }
}
