/// Whole frames as bytes.
enum FrameEncoding {
    /// A final frame of one piece; a `maskKey` makes it a client's.
    static func frame(
        _ opcode: Opcode, _ payload: [UInt8], isCompressed: Bool = false, maskKey: UInt32? = nil
    ) -> [UInt8] {
        let header = FrameHeader(
            isFinal: true, isCompressed: isCompressed, opcode: opcode, maskKey: maskKey, length: payload.count)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(header.size + payload.count)
        header.write(to: &bytes)
        bytes.append(contentsOf: payload)
        if let maskKey {
            bytes.withUnsafeMutableBytes { all in
                var mask = FrameMask(key: maskKey)
                mask.apply(to: UnsafeMutableRawBufferPointer(rebasing: all[header.size...]))
            }
        }
        return bytes
    }

    /// A close frame's payload: nothing, or a code and a reason cut to what fits, at a character.
    static func closePayload(_ code: CloseCode?, _ reason: String) -> [UInt8] {
        guard let code else { return [] }
        var payload = [UInt8(code.rawValue >> 8), UInt8(code.rawValue & 0xFF)]
        for scalar in reason.unicodeScalars {
            let encoded = UTF8.encode(scalar)!
            guard payload.count + encoded.count <= FrameHeader.maximumControlLength else { break }
            payload.append(contentsOf: encoded)
        }
        return payload
    }
}
