public import EventLoop

/// A WebSocket on a stream socket: performs the actions of its `WebSocketMachine`.
///
/// An idle connection costs a few hundred bytes besides its `StreamSocket`, and no task.
///
/// - Note: `@unchecked Sendable` because it is confined to its socket's loop.
public final class WebSocketConnection: StreamHandler, @unchecked Sendable {
    /// The connection below.
    public let socket: StreamSocket
    @exclusivity(unchecked) private var options: WebSocketOptions
    var machine: WebSocketMachine
    /// Bytes from the beginning of the object that a shared frame reads; a test checks that they suffice.
    public static let sharedSize = 256
    /// The receiver of messages; nil once the WebSocket has ended.
    public private(set) var handler: (any WebSocketHandler)?
    private var isReadingPaused = false
    private var hasHeard = false
    /// Whether bytes after a compressed message wait for the next turn of the loop. One message of a socket is inflated in a
    /// turn, so that no socket holds up the others.
    private var hasYielded = false
    /// Sends keep-alive pings while open, and limits the time of closing.
    private var timer: LoopTimer?
    /// `outputLimit` applies first; the rest is for the close frame that reports it.
    private static let roomForClose = 64 * 1024

    /// Takes over a socket after the handshake, on its loop.
    ///
    /// - Parameters:
    ///   - deflate: the negotiated parameters; they need the loop's `pool`.
    ///   - open: makes the handler, which is retained until the WebSocket has ended, and may send messages.
    public init(
        _ socket: StreamSocket, role: Role, options: WebSocketOptions = WebSocketOptions(),
        deflate: DeflateParameters? = nil, pool: CompressionPool? = nil,
        open: (WebSocketConnection) -> any WebSocketHandler
    ) {
        self.socket = socket
        self.options = options
        machine = WebSocketMachine(
            role: role, limits: options.limits, rates: options.rates, deflate: deflate, pool: pool)
        socket.writeLimit = options.outputLimit + Self.roomForClose
        handler = open(self)
        if let keepAlive = options.keepAlive { startTimer(after: keepAlive) { $0.checkAlive(isPinged: false) } }
    }

    /// Whether messages can be sent.
    public var isOpen: Bool { machine.isOpen }

    /// Sets the largest frame and message that the peer may send from now on, in bytes.
    public func limitMessages(to size: Int) { machine.limitMessages(to: size) }

    /// Sets the bytes that may be queued from now on before the peer is disconnected.
    public func limitOutput(to size: Int) {
        options.outputLimit = size
        socket.writeLimit = size + Self.roomForClose
    }

    // MARK: Sending

    /// Sends a message, compressed if that was negotiated and the message is long enough. Does nothing once the WebSocket
    /// closes.
    public func send(_ message: Message, compressed: Bool = true) {
        if let frame = machine.frame(of: message, compressed: compressed) { write(frame) }
    }

    /// Sends a message that was encoded for many sockets.
    public func send(_ shared: SharedFrame) {
        if let frame = machine.frame(of: shared) { write(frame) }
    }

    /// Sends a ping with a payload of at most 125 bytes, which the pong repeats.
    public func ping(_ payload: [UInt8] = []) {
        if let frame = machine.ping(payload) { write(frame) }
    }

    /// Bytes that are queued and not sent.
    public var queuedBytes: Int { socket.queuedBytes }

    /// Sends queued bytes now, as many as the kernel takes.
    public func flush() { socket.flush() }

    /// Disconnects a peer that reads too slowly, with 1013; queued frames that have not begun to leave are dropped.
    ///
    /// The handler is told at the end of the turn, because the caller may be iterating over its connections.
    public func cutOff() {
        guard machine.isOpen else { return }
        // Dropping the queue makes room for the close frame, which arrives once the peer reads again.
        socket.discardUnsent()
        let action = machine.fail(ProtocolFailure(.tryAgainLater, "reads too slowly"))
        socket.loop.executeAtEndOfTurn { [self] in perform(action) }
    }

    private func write(_ frame: [UInt8]) {
        // A peer that reads fast may simply have been sent much in this turn of the loop.
        if socket.queuedBytes + frame.count > options.outputLimit { socket.flush() }
        guard socket.queuedBytes + frame.count > options.outputLimit else { return socket.write(frame) }
        cutOff()
    }

    // MARK: Receiving

    /// Stops delivering messages and reading bytes until `resumeReading`.
    public func pauseReading() {
        isReadingPaused = true
        socket.pauseReading()
    }

    /// Reads and delivers again after `pauseReading`.
    public func resumeReading() {
        isReadingPaused = false
        socket.resumeReading()
    }

    public func received(_ bytes: RawSpan) -> Int {
        hasHeard = true
        // Once a peer with rates has ended its side, its remaining bytes are dropped.
        if options.rates != nil && hasYielded && socket.peerHasEnded && !machine.hasEnded {
            endOfInput()
            return bytes.byteCount
        }
        hasYielded = false
        var position = 0
        while !isReadingPaused || machine.hasEnded {
            guard let action = machine.receive(bytes, from: &position, now: socket.loop.now) else { break }
            let isCostly = machine.hasInflated
            perform(action)
            if isCostly && position < bytes.byteCount && !isReadingPaused && machine.isOpen {
                hasYielded = true
                socket.yieldReading()
                break
            }
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
            // Reading on would cost work for a peer that may keep sending: with rates, its bytes stay in the kernel.
            endConnection(discardsInput: options.rates == nil || ending.isClean)
        }
    }

    // MARK: Ending

    /// Begins the close handshake: queued messages are sent first, and messages that still arrive are dropped.
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

    /// Lets the peer read the last frame: the connection is closed when the peer has ended its side too.
    private func endConnection(discardsInput: Bool) {
        guard !socket.isClosed else { return }
        socket.endAfterFlush()
        if !discardsInput { socket.pauseReading() } else if isReadingPaused { resumeReading() }
        startTimer(after: options.closeTimeout) { $0.socket.close() }
    }

    private func checkAlive(isPinged: Bool) {
        guard let keepAlive = options.keepAlive, machine.isOpen else { return }
        // While reading is paused, silence has no meaning.
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
