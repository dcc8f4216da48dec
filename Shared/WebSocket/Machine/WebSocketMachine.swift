/// The protocol of one side of a WebSocket, without the socket: bytes and wishes in, actions out.
public struct WebSocketMachine {
    /// What is to be done, at once and in order.
    public enum Action: Equatable {
        case deliver(Message)
        case deliverPong([UInt8])
        /// Write the bytes of a frame.
        case write([UInt8])
        /// Nothing more comes or goes: write the last frame, if any, tell the application, and end the connection.
        case finish(Ending, lastFrame: [UInt8]?)
    }

    private enum State {
        case open
        /// Our close frame is out, the peer's is awaited.
        case closing
        case ended
    }

    private let role: Role
    private var state = State.open
    private let maximumMessageSize: Int
    private var compression: MessageCompression?
    private var reader: MessageReader

    /// - Parameter deflate: what the handshake agreed on; needs `pool`.
    public init(role: Role, limits: SizeLimits, deflate: DeflateParameters? = nil, pool: CompressionPool? = nil) {
        self.role = role
        maximumMessageSize = limits.message
        reader = MessageReader(role: role, limits: limits, allowsCompression: deflate != nil)
        if let deflate {
            guard let pool else { preconditionFailure("permessage-deflate needs a pool") }
            compression = MessageCompression(deflate, role: role, pool: pool)
        }
    }

    /// Whether messages can be sent.
    public var isOpen: Bool { state == .open }
    /// Whether `finish` has been returned.
    public var hasEnded: Bool { state == .ended }

    // MARK: Receiving

    /// Takes bytes from `position` on, up to the first that calls for an action; nil when all are taken.
    public mutating func receive(_ bytes: RawSpan, from position: inout Int) -> Action? {
        bytes.withUnsafeBytes { bytes in
            while state != .ended {
                do throws(ProtocolFailure) {
                    guard let received = try reader.next(bytes, from: &position) else { return nil }
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
        let bytes = try compression!.expand(message.bytes, limit: maximumMessageSize)
        guard message.kind == .text else { return Message(.binary, bytes) }
        var validator = UTF8Validator()
        let isText = bytes.withUnsafeBytes { validator.accept($0) } && validator.isBetweenCharacters
        guard isText else { throw .invalidUTF8 }
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

    /// The peer will send no more, the socket has failed, or the peer has not answered in time.
    public mutating func lost() -> Action? {
        guard state != .ended else { return nil }
        state = .ended
        return .finish(Ending(code: .abnormal), lastFrame: nil)
    }

    // MARK: Sending

    /// The frame of a message, compressed where that was agreed and is worth it; nil once the WebSocket closes.
    public mutating func frame(of message: Message, compressed: Bool = true) -> [UInt8]? {
        guard state == .open else { return nil }
        if compressed, let payload = compression?.compress(message.bytes) {
            return frame(message.opcode, payload, isCompressed: true)
        }
        return frame(message.opcode, message.bytes)
    }

    /// The bytes of a frame that was made for many; nil once the WebSocket closes. Only a server shares frames.
    public mutating func frame(of shared: SharedFrame) -> [UInt8]? {
        precondition(role == .server, "a client masks each frame by itself")
        guard state == .open else { return nil }
        guard let parameters = compression?.parameters, shared.reach <= 1 << parameters.serverWindowBits,
            let compressed = shared.compressed
        else { return shared.plain }
        compression?.forgetSent()
        return compressed
    }

    /// A ping frame with at most 125 bytes; nil once the WebSocket closes.
    public func ping(_ payload: [UInt8] = []) -> [UInt8]? {
        precondition(payload.count <= FrameHeader.maximumControlLength)
        return state == .open ? frame(.ping, payload) : nil
    }

    /// Begins the close handshake: the frame to send, after which only the peer's close frame is awaited; nil when closing
    /// already.
    public mutating func close(_ code: CloseCode = .normal, reason: String = "") -> [UInt8]? {
        precondition(code.mayTravel)
        guard state == .open else { return nil }
        state = .closing
        return frame(.close, FrameEncoding.closePayload(code, reason))
    }

    private func frame(_ opcode: Opcode, _ payload: [UInt8], isCompressed: Bool = false) -> [UInt8] {
        let maskKey = role == .client ? UInt32.random(in: 0...UInt32.max) : nil
        return FrameEncoding.frame(opcode, payload, isCompressed: isCompressed, maskKey: maskKey)
    }
}
