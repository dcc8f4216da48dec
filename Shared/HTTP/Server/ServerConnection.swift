internal import EventLoop

/// One connection: performs the actions of its `ConnectionMachine`, and runs the handler of each request in a task.
///
/// - Note: `@unchecked Sendable` because it is confined to the loop of its socket; the tasks of its handlers prefer that
///   loop.
final class ServerConnection: StreamHandler, @unchecked Sendable {
    /// Replies, or parts of them, that may wait to be sent when another request is served.
    private static let mostQueuedPieces = 16

    let socket: StreamSocket
    let server: ServerLoop
    /// The machine makes no calls outside, so no access to it can overlap another.
    @exclusivity(unchecked) var machine: ConnectionMachine
    /// The body of the request that is being served.
    var body: BodyStream?
    /// The reply bytes that wait for the client.
    @exclusivity(unchecked) var waiting = WaitingBytes()
    /// Where the producer of a streamed reply waits until the client has taken it.
    let writer: LoopWaiter
    private var timer: LoopTimer?
    /// Set if the connection became idle during a drain.
    var drainTimer: LoopTimer?
    private var task: Task<Void, Never>?
    private var isTaskRunning = false

    var loop: EventLoop { server.loop }

    init(socket: StreamSocket, server: ServerLoop) {
        self.socket = socket
        self.server = server
        machine = ConnectionMachine(server.rules, now: server.loop.now)
        writer = LoopWaiter(loop: server.loop)
        // Replies limit themselves: one at a time, and streams wait for the client.
        socket.writeLimit = .max
    }

    /// Starts to read, or only refuses the client because the server is full.
    func start(isRefused: Bool) {
        let delay = Duration.nanoseconds(server.rules.headTime)
        timer = loop.schedule(after: delay) { [unowned self] in
            perform(machine.deadlinePassed(sent: socket.sentBytes, isDrained: socket.isDrained, now: loop.now))
        }
        socket.start(self)
        if isRefused { refuse(.overloaded) }
    }

    /// Whether closing the connection would take nothing from its client.
    var isIdle: Bool { machine.isIdle && socket.isDrained }

    // MARK: Serving

    /// Runs the handler, unless the request was refused or the client has gone since it arrived.
    func serve(_ request: Request) {
        guard machine.isServing else { return }
        isTaskRunning = true
        let task = Task.immediate(executorPreference: loop) {
            let response: Response
            do {
                response = try await self.server.handler(request)
            } catch {
                response = self.server.configuration.refuse(Refusal(of: error))
            }
            if case .stream(let length, let produce) = response.body {
                await self.reply(with: response, of: length, produce, to: request)
            } else {
                self.reply(with: response, to: request)
            }
            self.isTaskRunning = false
            self.task = nil
            self.goOn()
            self.drainIfIdle()
        }
        guard isTaskRunning else { return }
        self.task = task
        // The client may have gone before the handler began.
        if machine.hasSeenEnd || !machine.isServing { task.cancel() }
    }

    /// Takes the next request, if it has arrived, or starts the idle time.
    private func goOn() {
        guard machine.goOn() else { return }
        socket.takeUnread()
        if machine.becameIdle(now: loop.now) { setTimer() }
    }

    // MARK: Receiving

    func received(_ bytes: RawSpan) -> Int {
        bytes.withUnsafeBytes { bytes in
            var used = 0
            while used < bytes.count {
                let (count, reception) = receive(UnsafeRawBufferPointer(rebasing: bytes[used...]))
                if case .request(let parts, let fields) = reception {
                    begin(UnsafeRawBufferPointer(rebasing: bytes[used..<(used + count)]), parts, fields)
                } else if !perform(reception) {
                    return used + count
                }
                used += count
            }
            return used
        }
    }

    private func receive(_ bytes: UnsafeRawBufferPointer) -> (Int, ConnectionMachine.Reception) {
        guard let body else {
            var none: [UInt8] = []
            return machine.received(bytes, into: &none, outputIsFull: outputIsFull, now: loop.now)
        }
        return machine.received(bytes, into: &body.buffer, outputIsFull: false, now: loop.now)
    }

    /// Whether the client must take replies before another request is served; `drained` follows then.
    private var outputIsFull: Bool {
        guard isCongested else { return false }
        socket.flush()
        return isCongested
    }

    private var isCongested: Bool {
        socket.queuedBytes > ConnectionMachine.pipelineRoom || socket.queuedPieces > Self.mostQueuedPieces
    }

    /// - Returns: whether to offer the rest of the bytes.
    private func perform(_ reception: ConnectionMachine.Reception) -> Bool {
        switch reception {
        case .wait: return false
        case .request: return true
        case .skipped:
            setTimer()
            // Not at once: the next request may be behind the skipped bytes.
            if server.isDraining { loop.execute { [self] in drainIfIdle() } }
        case .pause:
            socket.pauseReading()
            return false
        case .bodyGrew: body?.grew()
        case .bodyFull:
            body?.grew()
            socket.pauseReading()
            return false
        case .bodyEnded:
            body?.finish(.success(()))
            body = nil
        case .perform(let action):
            perform(action)
            return false
        }
        return true
    }

    /// Has the request served after the other sockets of this turn have been read.
    private func begin(_ head: UnsafeRawBufferPointer, _ parts: HeadParts, _ fields: [FieldLine]) {
        var body = RequestBody()
        if parts.framing != .none {
            var length: Int?
            if case .length(let count) = parts.framing { length = count }
            let stream = BodyStream(declaredLength: length, loop: loop, connection: self)
            self.body = stream
            body = RequestBody(stream)
            setTimer()
        }
        let storage = RequestStorage(head, parts, fields, body: body, receivedAt: loop.now, socket: socket)
        server.serve(Request(storage: storage), on: self)
    }

    /// The handler waits for the body: sends `100 Continue` if the client asked for it.
    func bodyIsWanted() {
        if machine.bodyIsWanted() { socket.write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)) }
    }

    /// The handler has taken the buffered bytes.
    func bodyWasTaken() {
        guard machine.bodyWasTaken(now: loop.now) else { return }
        setTimer()
        socket.resumeReading()
    }

    func endOfInput() {
        if let action = machine.endOfInput() { return perform(action) }
        body?.finish(.failure(.disconnected))
        task?.cancel()
    }

    // MARK: Sending and ending

    func congested() {
        waiting.settle(socket.queuedBytes)
        machine.congested(sent: socket.sentBytes, now: loop.now)
        setTimer()
    }

    func drained() {
        waiting.settle(0)
        let heldBack = machine.drained()
        writer.wake()
        if heldBack { goOn() }
    }

    func closed(_ end: StreamSocket.End) {
        leave()
        stopHandler(.disconnected)
    }

    /// Ends the connection for HTTP; the socket is closed or belongs to another protocol.
    func leave() {
        waiting.settle(0)
        machine.end()
        timer?.cancel()
        timer = nil
        drainTimer?.cancel()
        server.remove(self)
    }

    /// Ends the request's body with the error, and cancels the handler.
    func stopHandler(_ error: BodyError) {
        body?.finish(.failure(error))
        body = nil
        task?.cancel()
        writer.wake()
    }

    func refuse(_ refusal: Refusal) { perform(machine.refuse(refusal, now: loop.now)) }

    func perform(_ action: ConnectionMachine.Action) {
        switch action {
        case .none: break
        case .setTimer: setTimer()
        case .refuse(let refusal):
            stopHandler(refusal.bodyError)
            send(refusal)
            perform(machine.linger(now: loop.now))
        case .breakOff(let refusal):
            stopHandler(refusal.bodyError)
            socket.close()
        case .close: socket.close()
        case .closeAfterFlush:
            setTimer()
            socket.closeAfterFlush()
        case .endAfterFlush:
            setTimer()
            socket.endAfterFlush()
            socket.takeUnread()
        }
    }

    private func setTimer() {
        let next = machine.nextDeadline
        if next == .max { timer?.cancel() } else { timer?.restart(at: next) }
    }
}
