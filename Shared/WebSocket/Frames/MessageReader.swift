internal import Wire

/// Assembles messages and control frames from received bytes, and checks every rule of RFC 6455.
///
/// It holds only the received part of a message: a peer that announces a long message and sends little costs little.
struct MessageReader {
    /// A complete message or control frame.
    enum Received: Equatable {
        /// Text has been checked, unless the bytes are still compressed.
        case message(Message, isCompressed: Bool)
        case ping([UInt8])
        case pong([UInt8])
        /// The code is nil if the frame was empty.
        case close(CloseCode?, reason: [UInt8])
    }

    /// The message of the fragments that are arriving.
    private struct Partial {
        var message: Message
        var isCompressed: Bool
        var checker = TextChecker()

        var isCheckedText: Bool { message.kind == .text && !isCompressed }
    }

    var limits: SizeLimits
    private let expectsMask: Bool
    private let allowsCompression: Bool
    private var headerReader = FrameHeaderReader()
    private var frame: FrameHeader?
    private var mask = FrameMask(key: 0)
    /// Payload bytes of the frame that have not arrived.
    private var remaining = 0
    private var partial: Partial?
    private var control: [UInt8] = []
    /// Frames that have begun since the last `takeFrameCount`.
    private var frameCount = 0

    /// The largest number of bytes reserved for an announced payload before any of it has arrived.
    private static let trustedLength = 64 * 1024

    init(role: Role, limits: SizeLimits, allowsCompression: Bool) {
        self.limits = limits
        self.allowsCompression = allowsCompression
        expectsMask = role == .server
    }

    /// Reads from `position` on up to the end of the first complete message or control frame, and moves `position`
    /// there; nil when all bytes are consumed.
    mutating func next(
        _ bytes: UnsafeRawBufferPointer, from position: inout Int
    ) throws(ProtocolFailure) -> Received? {
        while true {
            if frame == nil {
                guard let header = try headerReader.next(bytes, from: &position) else { return nil }
                try begin(header)
            }
            let count = min(remaining, bytes.count - position)
            if count > 0 {
                try take(UnsafeRawBufferPointer(rebasing: bytes[position..<(position + count)]))
                position += count
                remaining -= count
            }
            guard remaining == 0 else { return nil }
            if let received = try end() { return received }
        }
    }

    /// Returns the number of frames that have begun since the last call.
    mutating func takeFrameCount() -> Int {
        defer { frameCount = 0 }
        return frameCount
    }

    private mutating func begin(_ header: FrameHeader) throws(ProtocolFailure) {
        frameCount += 1
        guard (header.maskKey != nil) == expectsMask else {
            throw .protocolError(expectsMask ? "unmasked frame" : "masked frame")
        }
        if !header.opcode.isControl { try beginData(header) }
        frame = header
        remaining = header.length
        mask = FrameMask(key: header.maskKey ?? 0)
    }

    private mutating func beginData(_ header: FrameHeader) throws(ProtocolFailure) {
        guard (header.opcode == .continuation) == (partial != nil) else {
            throw .protocolError(partial == nil ? "continuation without a message" : "message within a message")
        }
        guard !header.isCompressed || allowsCompression && header.opcode != .continuation else {
            throw .protocolError("compression bit set")
        }
        let held = partial?.message.bytes.count ?? 0
        let limits = partial?.isCompressed ?? header.isCompressed ? limits.compressed : limits
        guard header.length <= limits.frame, header.length <= limits.message - held else { throw .tooBig }
        guard partial == nil else { return }
        var message = Message(header.opcode == .text ? .text : .binary, [])
        message.bytes.reserveCapacity(min(header.length, Self.trustedLength))
        partial = Partial(message: message, isCompressed: header.isCompressed)
    }

    private mutating func take(_ bytes: UnsafeRawBufferPointer) throws(ProtocolFailure) {
        guard let frame else { return }
        if frame.opcode.isControl {
            _ = Self.append(bytes, to: &control, unmaskedBy: &mask) { _ in true }
            return
        }
        // Each part is checked when it arrives, so that invalid text fails before the rest has arrived.
        let isChecked = partial!.isCheckedText
        var checker = partial!.checker
        let isValid = Self.append(bytes, to: &partial!.message.bytes, unmaskedBy: &mask) { part in
            !isChecked || checker.accept(part)
        }
        guard isValid else { throw .invalidUTF8 }
        partial!.checker = checker
    }

    private static func append(
        _ bytes: UnsafeRawBufferPointer, to whole: inout [UInt8], unmaskedBy mask: inout FrameMask,
        check: (UnsafeRawBufferPointer) -> Bool
    ) -> Bool {
        let start = whole.count
        whole.append(contentsOf: bytes)
        return whole.withUnsafeMutableBytes { all in
            let part = UnsafeMutableRawBufferPointer(rebasing: all[start...])
            mask.apply(to: part)
            return check(UnsafeRawBufferPointer(part))
        }
    }

    private mutating func end() throws(ProtocolFailure) -> Received? {
        guard let frame else { return nil }
        self.frame = nil
        if frame.opcode.isControl {
            var payload: [UInt8] = []
            swap(&payload, &control)
            switch frame.opcode {
            case .ping: return .ping(payload)
            case .pong: return .pong(payload)
            default: return try Self.close(payload)
            }
        }
        guard frame.isFinal, let whole = partial else { return nil }
        partial = nil
        guard whole.checker.isBetweenCharacters else { throw .invalidUTF8 }
        return .message(whole.message, isCompressed: whole.isCompressed)
    }

    private static func close(_ payload: [UInt8]) throws(ProtocolFailure) -> Received {
        guard !payload.isEmpty else { return .close(nil, reason: []) }
        guard payload.count >= 2 else { throw .protocolError("close frame of one byte") }
        let code = CloseCode(rawValue: UInt16(payload[0]) << 8 | UInt16(payload[1]))
        guard code.isSendable else { throw .protocolError("close code \(code.rawValue)") }
        let reason = Array(payload[2...])
        guard reason.span.isUTF8 else { throw .invalidUTF8 }
        return .close(code, reason: reason)
    }
}
