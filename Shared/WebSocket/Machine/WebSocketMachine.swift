internal import Wire

/// The state of one side of a WebSocket, without I/O: received bytes and calls go in, actions come out.
public struct WebSocketMachine {
    /// An action for the driver, to be performed at once and in order.
    public enum Action: Equatable {
        case deliver(Message)
        case deliverPong([UInt8])
        /// Write the bytes of a frame.
        case write([UInt8])
        /// The WebSocket has ended: write the last frame, if any, tell the application, and end the connection.
        case finish(Ending, lastFrame: [UInt8]?)
    }

    private enum State {
        case open
        /// Our close frame was sent; the peer's has not arrived.
        case closing
        case ended
    }

    private let role: Role
    private var state = State.open
    private var maximumMessageSize: Int
    /// The last property that sending a shared frame reads.
    var compression: MessageCompression?
    private var reader: MessageReader
    private var budget: ReceiveBudget?
    /// Whether the last delivered message was compressed. The driver then lets other sockets come first.
    public private(set) var hasInflated = false

    /// - Parameters:
    ///   - rates: how much the peer may send in a time; nil for no limit.
    ///   - deflate: the negotiated parameters; they need `pool`.
    public init(
        role: Role, limits: SizeLimits, rates: ReceiveRates? = nil, deflate: DeflateParameters? = nil,
        pool: CompressionPool? = nil
    ) {
        self.role = role
        budget = rates.map { ReceiveBudget($0) }
        maximumMessageSize = limits.message
        reader = MessageReader(role: role, limits: limits, allowsCompression: deflate != nil)
        if let deflate {
            guard let pool else { preconditionFailure("permessage-deflate needs a pool") }
            compression = MessageCompression(deflate, role: role, pool: pool)
        }
    }

    /// Sets the largest frame and message that the peer may send from now on.
    public mutating func limitMessages(to size: Int) {
        maximumMessageSize = size
        reader.limits = SizeLimits(message: size)
    }

    /// Whether messages can be sent.
    public var isOpen: Bool { state == .open }
    /// Whether `finish` has been returned.
    public var hasEnded: Bool { state == .ended }

    // MARK: Receiving

    /// Takes bytes from `position` on up to the first one that needs an action; nil when all are consumed.
    ///
    /// - Parameter now: monotonic nanoseconds, for the rates.
    public mutating func receive(_ bytes: RawSpan, from position: inout Int, now: UInt64 = 0) -> Action? {
        bytes.withUnsafeBytes { bytes in
            hasInflated = false
            while state != .ended {
                do throws(ProtocolFailure) {
                    let received = try reader.next(bytes, from: &position)
                    let frames = reader.takeFrameCount()
                    if frames > 0 { try budget?.take(frames: frames, now: now) }
                    guard let received else { return nil }
                    if let action = try act(on: received) { return action }
                } catch {
                    position = bytes.count
                    return fail(error)
                }
            }
            position = bytes.count
            return nil
        }
    }

    private mutating func act(on received: MessageReader.Received) throws(ProtocolFailure) -> Action? {
        if case .close(let code, let reason) = received { return closed(code, reason) }
        guard state == .open else { return nil }
        switch received {
        case .message(let message, isCompressed: true): return .deliver(try expand(message))
        case .message(let message, isCompressed: false): return .deliver(message)
        case .ping(let payload): return .write(frame(.pong, payload))
        case .pong(let payload): return .deliverPong(payload)
        case .close: return nil
        }
    }

    private mutating func expand(_ message: Message) throws(ProtocolFailure) -> Message {
        hasInflated = true
        // Without anything left of the budget, nothing is inflated.
        try budget?.take(inflatedBytes: 0)
        let bytes = try compression!.expand(message.bytes, limit: maximumMessageSize)
        try budget?.take(inflatedBytes: bytes.count)
        guard message.kind == .text else { return Message(.binary, bytes) }
        guard bytes.span.isUTF8 else { throw .invalidUTF8 }
        return Message(.text, bytes)
    }

    private mutating func closed(_ code: CloseCode?, _ reason: [UInt8]) -> Action {
        let reply = state == .open ? frame(.close, FrameEncoding.closePayload(code, "")) : nil
        state = .ended
        let ending = Ending(code: code ?? .noStatus, reason: String(decoding: reason, as: UTF8.self), isClean: true)
        return .finish(ending, lastFrame: reply)
    }

    /// Ends without waiting for the peer's close frame.
    public mutating func fail(_ failure: ProtocolFailure) -> Action {
        let last = state == .open ? frame(.close, FrameEncoding.closePayload(failure.code, failure.reason)) : nil
        state = .ended
        return .finish(Ending(code: failure.code, reason: failure.reason), lastFrame: last)
    }

    /// The peer has closed the connection, the socket has failed, or the peer did not answer in time.
    public mutating func lost() -> Action? {
        guard state != .ended else { return nil }
        state = .ended
        return .finish(Ending(code: .abnormal), lastFrame: nil)
    }

    // MARK: Sending

    /// Makes the frame of a message, compressed if that was negotiated and the message is long enough; nil once the
    /// WebSocket closes.
    public mutating func frame(of message: Message, compressed: Bool = true) -> [UInt8]? {
        guard state == .open else { return nil }
        if compressed, let payload = compression?.compress(message.bytes) {
            return frame(message.opcode, payload, isCompressed: true)
        }
        return frame(message.opcode, message.bytes)
    }

    /// The bytes of a frame that was encoded for many sockets; nil once the WebSocket closes. Only servers share frames.
    public mutating func frame(of shared: SharedFrame) -> [UInt8]? {
        precondition(role == .server, "a client masks each frame by itself")
        guard state == .open else { return nil }
        guard let parameters = compression?.parameters, shared.reach <= 1 << parameters.serverWindowBits,
            let compressed = shared.compressed
        else { return shared.plain }
        compression?.forgetSent()
        return compressed
    }

    /// Makes a ping frame with at most 125 bytes; nil once the WebSocket closes.
    public func ping(_ payload: [UInt8] = []) -> [UInt8]? {
        precondition(payload.count <= FrameHeader.maximumControlLength)
        return state == .open ? frame(.ping, payload) : nil
    }

    /// Begins the close handshake: returns the frame to send, or nil if the WebSocket is closing already. After it, only the
    /// peer's close frame is expected.
    public mutating func close(_ code: CloseCode = .normal, reason: String = "") -> [UInt8]? {
        precondition(code.isSendable)
        guard state == .open else { return nil }
        state = .closing
        return frame(.close, FrameEncoding.closePayload(code, reason))
    }

    private func frame(_ opcode: Opcode, _ payload: [UInt8], isCompressed: Bool = false) -> [UInt8] {
        let maskKey = role == .client ? UInt32.random(in: 0...UInt32.max) : nil
        return FrameEncoding.frame(opcode, payload, isCompressed: isCompressed, maskKey: maskKey)
    }
}
