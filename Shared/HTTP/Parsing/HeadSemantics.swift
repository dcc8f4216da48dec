/// Collects the fields about framing, persistence and host, and refuses contradictions.
struct HeadSemantics {
    /// The authority of an absolute target.
    var authority: HeadRange?
    private var host: HeadRange?
    private var length: Int?
    private var transferCoding: HeadRange?
    private var saysClose = false
    private var saysKeepAlive = false

    /// Takes in one field. Few names matter here; comparing lengths first rules out most others.
    @inline(__always)
    mutating func note(
        _ field: FieldLine, _ bytes: UnsafeRawBufferPointer, _ parts: inout HeadParts
    ) throws(Refusal) {
        switch field.name.count {
        case 4 where bytes[field.name].is("host"):
            guard host == nil else { throw .malformed }
            host = field.value
        case 6 where bytes[field.name].is("expect"):
            guard bytes[field.value].is("100-continue") else { throw .expectationFailed }
            parts.expectsContinue = true
        case 10 where bytes[field.name].is("connection"):
            noteConnection(bytes[field.value])
        case 14 where bytes[field.name].is("content-length"):
            guard length == nil else { throw .malformed }
            length = try Self.decimal(bytes[field.value])
        case 17 where bytes[field.name].is("transfer-encoding"):
            guard transferCoding == nil else { throw .malformed }
            transferCoding = field.value
        default: break
        }
    }

    /// Fills in `parts` at the end of the head.
    func finish(_ parts: inout HeadParts, _ bytes: UnsafeRawBufferPointer) throws(Refusal) {
        try finishHost(&parts, bytes)
        if let transferCoding {
            guard length == nil, parts.minorVersion == 1 else { throw .malformed }
            guard bytes[transferCoding].is("chunked") else { throw .unsupportedCoding }
            parts.framing = .chunked
        } else if let length, length > 0 {
            parts.framing = .length(length)
        }
        parts.keepsAlive = !saysClose && (parts.minorVersion == 1 || saysKeepAlive)
        if parts.minorVersion == 0 || parts.framing == .none { parts.expectsContinue = false }
    }

    private func finishHost(_ parts: inout HeadParts, _ bytes: UnsafeRawBufferPointer) throws(Refusal) {
        // An HTTP/1.0 client may omit Host.
        guard let named = host ?? authority else {
            guard parts.minorVersion == 0 else { throw .malformed }
            return
        }
        guard host != nil || parts.minorVersion == 0, HostRule.isValid(bytes[named]) else { throw .malformed }
        if let authority {
            guard authority.count == named.count, equalIgnoringCase(bytes[authority], bytes[named]) else {
                throw .malformed
            }
        }
        parts.host = named
    }

    private mutating func noteConnection(_ value: UnsafeRawBufferPointer) {
        for option in value.listed {
            if option.is("close") { saysClose = true }
            if option.is("keep-alive") { saysKeepAlive = true }
        }
    }

    private static func decimal(_ text: UnsafeRawBufferPointer) throws(Refusal) -> Int {
        guard !text.isEmpty, text.count <= 18 else { throw .malformed }
        var value = 0
        for byte in text {
            let digit = byte &- UInt8(ascii: "0")
            guard digit < 10 else { throw .malformed }
            value = value * 10 + Int(digit)
        }
        return value
    }
}
