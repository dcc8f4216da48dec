/// Encodes complete frames.
enum FrameEncoding {
    /// Encodes an unfragmented frame; clients pass a `maskKey`.
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

    /// Makes the payload of a close frame: empty, or a code and a reason, truncated at a character to fit.
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
