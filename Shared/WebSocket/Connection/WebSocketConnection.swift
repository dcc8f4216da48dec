public import EventLoop

/// A WebSocket on a stream socket: performs what its `WebSocketMachine` says.
///
/// An idle one costs a few hundred bytes besides its `StreamSocket`, and no task.
///
/// - Note: `@unchecked Sendable` because it is confined to its socket's loop.
public final class WebSocketConnection: StreamHandler, @unchecked Sendable {
    /// The connection below.
    public let socket: StreamSocket
    private let options: WebSocketOptions
    private var machine: WebSocketMachine
    /// Bytes from the beginning of the object that the sending of a shared frame looks at.
    public static let sharingSize = 192
    /// Who is told; nil once the WebSocket has ended.
    public private(set) var handler: (any WebSocketHandler)?
    private var isReadingPaused = false
    private var hasHeard = false
    /// Keeps alive an open WebSocket, and limits how long a closing one takes.
    private var timer: LoopTimer?

    /// Takes a socket whose handshake is done; on its loop.
    ///
    /// - Parameters:
    ///   - deflate: what the handshake agreed on; needs the loop's `pool`.
    ///   - open: makes the handler, which is held until the WebSocket has ended; messages may be sent already.
    public init(
        _ socket: StreamSocket, role: Role, options: WebSocketOptions = WebSocketOptions(),
        deflate: DeflateParameters? = nil, pool: CompressionPool? = nil,
        open: (WebSocketConnection) -> any WebSocketHandler
    ) {
        self.socket = socket
        self.options = options
        machine = WebSocketMachine(role: role, limits: options.limits, deflate: deflate, pool: pool)
        // Our own limit speaks first, unless the frame that tells of it has no room either.
        socket.writeLimit = options.outputLimit + 64 * 1024
        handler = open(self)
        if let keepAlive = options.keepAlive { startTimer(after: keepAlive) { $0.checkAlive(isPinged: false) } }
    }

    /// Whether messages can be sent.
    public var isOpen: Bool { machine.isOpen }

    // MARK: Sending

    /// Sends a message, compressed where that was agreed and is worth it; nothing happens once the WebSocket closes.
    public func send(_ message: Message, compressed: Bool = true) {
        if let frame = machine.frame(of: message, compressed: compressed) { write(frame) }
    }

    /// Sends a message that was encoded for many sockets.
    public func send(_ shared: SharedFrame) {
        if let frame = machine.frame(of: shared) { write(frame) }
    }

    /// Asks for a pong with the same payload of at most 125 bytes.
    public func ping(_ payload: [UInt8] = []) {
        if let frame = machine.ping(payload) { write(frame) }
    }

    /// Bytes that wait to be sent.
    public var queuedBytes: Int { socket.queuedBytes }

    /// Sends what the kernel takes, now.
    public func flush() { socket.flush() }

    /// Cuts off a peer that reads too slowly, with 1013; what has not begun to leave never will.
    ///
    /// The handler is told later, because the caller may be going through all its connections.
    public func cutOff() {
        guard machine.isOpen else { return }
        // What waits would never arrive; a code does, once the peer reads again.
        socket.discardUnsent()
        let action = machine.fail(ProtocolFailure(.tryAgainLater, "reads too slowly"))
        socket.loop.atEndOfTick { [self] in perform(action) }
    }

    private func write(_ frame: [UInt8]) {
        // Much may have been sent in this turn of the loop to a peer that takes it all.
        if socket.queuedBytes + frame.count > options.outputLimit { socket.flush() }
        guard socket.queuedBytes + frame.count > options.outputLimit else { return socket.write(frame) }
        cutOff()
    }

    // MARK: Receiving

    /// Delivers no more messages, and leaves further bytes in the kernel, until `resumeReading`.
    public func pauseReading() {
        isReadingPaused = true
        socket.pauseReading()
    }

    /// Goes on after `pauseReading`.
    public func resumeReading() {
        isReadingPaused = false
        socket.resumeReading()
    }

    public func received(_ bytes: RawSpan) -> Int {
        hasHeard = true
        var position = 0
        while !isReadingPaused || machine.hasEnded {
            guard let action = machine.receive(bytes, from: &position) else { break }
            perform(action)
        }
        return position
    }

    public func endOfInput() {
        if let action = machine.lost() { perform(action) }
        socket.closeAfterFlush()
    }

    public func congested() { handler?.congested(self) }

    public func drained() { handler?.drained(self) }

    private func perform(_ action: WebSocketMachine.Action) {
        switch action {
        case .deliver(let message): handler?.received(message, on: self)
        case .deliverPong(let payload): handler?.receivedPong(payload, on: self)
        case .write(let frame): write(frame)
        case .finish(let ending, let lastFrame):
            if let lastFrame { socket.write(lastFrame) }
            tell(ending)
            endConnection()
        }
    }

    // MARK: Ending

    /// Begins the close handshake; what is queued goes out first, and what still comes is dropped.
    public func close(_ code: CloseCode = .normal, reason: String = "") {
        guard let frame = machine.close(code, reason: reason) else { return }
        socket.write(frame)
        if isReadingPaused { resumeReading() }
        startTimer(after: options.closeTimeout) { $0.socket.close() }
    }

    /// Ends the connection at once, without a close frame.
    public func abort() { socket.close() }

    public func closed(_ end: StreamSocket.End) {
        timer?.cancel()
        timer = nil
        if case .finish(let ending, _) = machine.lost() { tell(ending) }
    }

    private func tell(_ ending: Ending) {
        let handler = self.handler
        self.handler = nil
        handler?.ended(ending, on: self)
    }

    /// Lets the peer read the last frame before the connection goes: it is closed when the peer has ended its side too.
    private func endConnection() {
        guard !socket.isClosed else { return }
        socket.endAfterFlush()
        if isReadingPaused { resumeReading() }
        startTimer(after: options.closeTimeout) { $0.socket.close() }
    }

    private func checkAlive(isPinged: Bool) {
        guard let keepAlive = options.keepAlive, machine.isOpen else { return }
        // While reading is paused, silence says nothing.
        let isSilent = !hasHeard && !isReadingPaused
        if isPinged && isSilent { return socket.close() }
        hasHeard = false
        if isSilent { ping() }
        startTimer(after: keepAlive) { $0.checkAlive(isPinged: isSilent) }
    }

    private func startTimer(after delay: Duration, _ action: @escaping (WebSocketConnection) -> Void) {
        timer?.cancel()
        timer = socket.loop.schedule(after: delay) { [weak self] in self.map(action) }
    }
}
