/// What the fields of one head say about framing, persistence and host, and whether they contradict each other.
struct HeadSemantics {
    /// The authority of an absolute target.
    var authority: Range<Int>?
    private var host: Range<Int>?
    private var length: Int?
    private var transferCoding: Range<Int>?
    private var says = (close: false, keepAlive: false)

    /// Takes in one field; only a few names matter here.
    mutating func note(
        _ field: RequestHead.Field, _ bytes: UnsafeRawBufferPointer, in head: RequestHead
    ) throws(Refusal) {
        let name = UnsafeRawBufferPointer(rebasing: bytes[field.name])
        switch name.count {
        case 4 where Self.is(name, "host"):
            guard host == nil else { throw .malformed }
            host = field.value
        case 6 where Self.is(name, "expect"):
            guard Self.is(UnsafeRawBufferPointer(rebasing: bytes[field.value]), "100-continue") else {
                throw .expectationFailed
            }
            head.expectsContinue = true
        case 10 where Self.is(name, "connection"):
            noteConnection(bytes[field.value])
        case 14 where Self.is(name, "content-length"):
            guard length == nil else { throw .malformed }
            length = try Self.decimal(bytes[field.value])
        case 17 where Self.is(name, "transfer-encoding"):
            guard transferCoding == nil else { throw .malformed }
            transferCoding = field.value
        default: break
        }
    }

    /// Draws the conclusions at the end of the head.
    func finish(_ head: RequestHead, _ bytes: UnsafeRawBufferPointer) throws(Refusal) {
        try finishHost(head, bytes)
        if let transferCoding {
            guard length == nil, head.minorVersion == 1 else { throw .malformed }
            guard Self.is(UnsafeRawBufferPointer(rebasing: bytes[transferCoding]), "chunked") else {
                throw .unsupportedCoding
            }
            head.framing = .chunked
        } else if let length, length > 0 {
            head.framing = .length(length)
        }
        head.keepsAlive = !says.close && (head.minorVersion == 1 || says.keepAlive)
        if head.minorVersion == 0 || head.framing == .none { head.expectsContinue = false }
    }

    private func finishHost(_ head: RequestHead, _ bytes: UnsafeRawBufferPointer) throws(Refusal) {
        guard let host else {
            guard head.minorVersion == 0 else { throw .malformed }
            if let authority {
                guard HostRule.isValid(bytes[authority]) else { throw .malformed }
                head.host = authority
            }
            return
        }
        guard HostRule.isValid(bytes[host]) else { throw .malformed }
        if let authority {
            guard authority.count == host.count,
                equalIgnoringCase(
                    UnsafeRawBufferPointer(rebasing: bytes[authority]), UnsafeRawBufferPointer(rebasing: bytes[host]))
            else { throw .malformed }
        }
        head.host = host
    }

    private mutating func noteConnection(_ value: Slice<UnsafeRawBufferPointer>) {
        for part in value.split(separator: UInt8(ascii: ",")) {
            let option = UnsafeRawBufferPointer(rebasing: part.trimmingBlanks())
            if Self.is(option, "close") { says.close = true }
            if Self.is(option, "keep-alive") { says.keepAlive = true }
        }
    }

    private static func decimal(_ text: Slice<UnsafeRawBufferPointer>) throws(Refusal) -> Int {
        guard !text.isEmpty, text.count <= 18 else { throw .malformed }
        var value = 0
        for byte in text {
            let digit = byte &- UInt8(ascii: "0")
            guard digit < 10 else { throw .malformed }
            value = value * 10 + Int(digit)
        }
        return value
    }

    private static func `is`(_ text: UnsafeRawBufferPointer, _ lowercase: StaticString) -> Bool {
        lowercase.withUTF8Buffer { text.count == $0.count && equalIgnoringCase(text, UnsafeRawBufferPointer($0)) }
    }
}

extension Slice<UnsafeRawBufferPointer> {
    /// Without spaces and tabs at either end.
    func trimmingBlanks() -> Self {
        var trimmed = self
        while let first = trimmed.first, first == 0x20 || first == 0x09 { trimmed.removeFirst() }
        while let last = trimmed.last, last == 0x20 || last == 0x09 { trimmed.removeLast() }
        return trimmed
    }
}
