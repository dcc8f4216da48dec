internal import EventLoop

/// One connection: parses, lets the handler answer one request after the other, and keeps the deadlines.
///
/// It reads one request, lets `ServerLoop` serve it after the other sockets of the turn have been read,
/// and only then looks at what stands behind it; what has come in one piece is served in a row.
///
/// - Note: `@unchecked Sendable` because it is confined to the loop of its socket;
///   the tasks in which handlers work prefer that loop.
final class ServerConnection: StreamHandler, @unchecked Sendable {
    /// What the connection is about.
    enum Phase {
        /// The next head has not come completely.
        case waiting
        /// A handler works on a request, or its reply is being streamed.
        case serving
        /// The reply is out; what is left of a short body is read past.
        case skipping
        /// No more will be served; what still comes is read past until the client has seen the reply.
        case lingering
        /// Closed or handed over.
        case ended
    }

    /// Bytes of pipelined requests that wait here at most, and bytes of replies from which on no further one is served.
    static let pipelineRoom = 64 * 1024
    /// What is left of a body is read past rather than the connection closed, up to this many bytes.
    static let mostSkipped = 64 * 1024
    /// Replies, or parts of them, that wait to be sent while a further request is served.
    static let mostQueuedPieces = 16
    /// A second in which a drain waits for the first request of a new connection.
    static let firstRequestGrace: UInt64 = 1_000_000_000

    let socket: StreamSocket
    let server: ServerLoop
    var loop: EventLoop { server.loop }
    var phase = Phase.waiting

    // The request that is being read or served. Parsing calls nobody who could ask for the parser again.
    @exclusivity(unchecked) var parser: RequestParser
    @exclusivity(unchecked) var upcoming: Request?
    /// Plain requests that were taken behind it; the last is the next.
    @exclusivity(unchecked) var behind: [Request] = []
    var isWithinHead = false
    @exclusivity(unchecked) var decoder: BodyDecoder
    var body: BodyStream?
    var bodyCount = 0
    var bodyClock: BodyClock?
    var owesContinue = false
    /// The task in which a handler waits.
    var task: Task<Void, Never>?
    /// A task is at work on the request that is being served.
    var isAtWork = false

    /// Requests wait because replies do.
    var isHeldBack = false
    /// `takeRow` serves what it has taken, and goes on by itself.
    var isInRow = false

    // The reply that is being streamed.
    let writer: LoopWaiter
    var reply: StreamedReply?

    var isFirstRequest = true
    var hasSeenEnd = false
    var timer: LoopTimer?
    var phaseDeadline = UInt64.max
    var writeDeadline = UInt64.max
    var sentAtDeadline: UInt64 = 0

    init(socket: StreamSocket, server: ServerLoop) {
        self.socket = socket
        self.server = server
        parser = RequestParser(limits: server.configuration.limits)
        decoder = BodyDecoder(.none, limits: server.configuration.limits)
        writer = LoopWaiter(loop: server.loop)
        // Replies bound themselves: one at a time, and streams wait.
        socket.writeLimit = .max
    }

    /// Starts to read, or only says that there is no place.
    func start(isRefused: Bool) {
        timer = loop.schedule(after: .nanoseconds(server.times.head)) { [unowned self] in lookAtDeadlines() }
        phaseDeadline = loop.now + server.times.head
        socket.start(self)
        if isRefused { refuse(.overloaded) }
    }

    /// Closes when idle, and after the running request otherwise.
    func drain() {
        guard phase == .waiting, !isWithinHead else { return }
        // A request that the client has sent already is in the kernel: it is served.
        socket.readNow()
        guard phase == .waiting, !isWithinHead else { return }
        guard isFirstRequest, !hasSeenEnd else { return socket.closeAfterFlush() }
        // Who has just connected is about to send.
        phaseDeadline = min(phaseDeadline, loop.now + Self.firstRequestGrace)
        armTimer()
    }

    /// Whether it could be closed without taking anything from its client.
    var isIdle: Bool { phase == .waiting && !isWithinHead && !isFirstRequest && socket.isDrained }

    /// Whether a request was taken and not served.
    var isUpcoming: Bool { upcoming != nil }

    // MARK: StreamHandler

    func received(_ bytes: RawSpan) -> Int {
        bytes.withUnsafeBytes { buffer in
            switch phase {
            case .lingering, .ended: return buffer.count
            case .serving: return receivedWhileServing(buffer)
            case .waiting, .skipping: return takeRow(buffer)
            }
        }
    }

    func endOfInput() {
        hasSeenEnd = true
        switch phase {
        case .waiting:
            if !isHeldBack { socket.closeAfterFlush() }
        case .serving:
            if !decoder.isComplete { body?.finish(.failure(.disconnected)) }
            task?.cancel()
        case .skipping, .lingering:
            socket.closeAfterFlush()
        case .ended: break
        }
    }

    func congested() {
        sentAtDeadline = socket.sentBytes
        writeDeadline = loop.now + server.times.write
        armTimer()
    }

    func drained() {
        writeDeadline = .max
        writer.wake()
        guard isHeldBack else { return }
        isHeldBack = false
        if isUpcoming { server.serve(self) } else { goOn() }
    }

    func closed(_ end: StreamSocket.End) {
        leave()
        body?.finish(.failure(.disconnected))
        body = nil
        task?.cancel()
        writer.wake()
    }

    /// Ends the connection for HTTP; the socket is closed or another's.
    func leave() {
        phase = .ended
        timer?.cancel()
        timer = nil
        upcoming = nil
        behind = []
        server.remove(self)
    }
}
