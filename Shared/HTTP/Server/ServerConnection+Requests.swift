internal import EventLoop

extension ServerConnection {
    /// Serves as many requests as `buffer` holds; returns how many of its bytes have been used.
    func takeRequests(_ buffer: UnsafeRawBufferPointer) -> Int {
        if isHeldBack {
            boundPipeline(buffer.count)
            return 0
        }
        input = buffer
        consumed = 0
        servedThisTurn = 0
        isReceiving = true
        defer {
            input = UnsafeRawBufferPointer(start: nil, count: 0)
            isReceiving = false
        }
        if let request = nextRequest() {
            let task = Task.immediate(executorPreference: loop) { await self.serve(request) }
            if phase == .serving { self.task = task }
        }
        // A handler that waits for its body may have made room meanwhile.
        while phase == .serving, !decoder.isComplete {
            let count = feedBody(rest)
            if count == 0 { break }
            consumed += count
        }
        // Behind an upgrade stand the next protocol's bytes.
        return phase == .lingering ? buffer.count : consumed
    }

    /// Serves `first` and what has come completely behind it.
    private func serve(_ first: Request) async {
        var request = first
        while true {
            await answer(request)
            guard phase == .waiting, isReceiving, let next = nextRequest() else { break }
            request = next
        }
        task = nil
        if !isReceiving { goOn() }
    }

    /// What of the input has not been used.
    private var rest: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: input[consumed...]) }

    /// Takes up what has waited behind a request.
    func goOn() {
        isHeldBack = false
        guard phase == .waiting || phase == .skipping else { return }
        socket.takeUnread()
        if phase == .waiting && !isHeldBack && hasSeenEnd { socket.closeAfterFlush() }
    }

    /// The next request of the input, with as much of its body as there is; nil when there is none, or none may be served
    /// now.
    private func nextRequest() -> Request? {
        guard phase == .waiting, consumed < input.count, mayServe() else { return nil }
        let isNew = partialHead == nil
        let head = partialHead ?? server.takeHead()
        partialHead = nil
        do {
            guard let length = try parser.parse(rest, into: head) else {
                partialHead = head
                // The first head's time began when the connection was opened.
                if isNew && !isFirstRequest { startHeadDeadline() }
                return nil
            }
            consumed += length
            return try begin(head)
        } catch {
            refuse(error)
            return nil
        }
    }

    /// Whether one more request may be served in this turn; makes sure that somebody comes back if not.
    private func mayServe() -> Bool {
        if socket.queuedBytes > Self.pipelineRoom {
            socket.flush()
            guard phase == .waiting else { return false }
            if !socket.isDrained {
                isHeldBack = true
                return false
            }
        }
        servedThisTurn += 1
        if servedThisTurn > Self.requestsPerTurn {
            isHeldBack = true
            loop.execute { [self] in goOn() }
            return false
        }
        return true
    }

    private func begin(_ head: RequestHead) throws(Refusal) -> Request {
        phase = .serving
        phaseDeadline = .max
        isFirstRequest = false
        guard head.framing != .none else {
            return Request(head: head, body: RequestBody(), receivedAt: loop.now, socket: socket)
        }
        var length: Int?
        if case .length(let count) = head.framing {
            guard count <= server.configuration.largestBody else { throw .bodyTooLarge }
            length = count
        }
        let stream = BodyStream(declaredLength: length, loop: loop, connection: self)
        body = stream
        bodyCount = 0
        decoder = BodyDecoder(head.framing, limits: server.configuration.limits)
        owesContinue = head.expectsContinue
        bodyClock = BodyClock(
            now: loop.now, grace: server.times.bodyGrace, rate: server.configuration.bodyRate)
        consumed += feedBody(rest)
        if phase == .serving && !decoder.isComplete { armTimer() }
        guard phase == .serving else { throw .malformed }
        return Request(head: head, body: RequestBody(stream), receivedAt: loop.now, socket: socket)
    }

    // MARK: Bodies

    func receivedWhileServing(_ buffer: UnsafeRawBufferPointer) -> Int {
        guard !decoder.isComplete else {
            boundPipeline(buffer.count)
            return 0
        }
        let count = feedBody(buffer)
        return phase == .serving ? count : buffer.count
    }

    /// Stops to read while so many bytes of later requests wait.
    private func boundPipeline(_ waiting: Int) { if waiting >= Self.pipelineRoom { socket.pauseReading() } }

    private func feedBody(_ buffer: UnsafeRawBufferPointer) -> Int {
        guard let body, !buffer.isEmpty else { return 0 }
        do {
            let count = try body.add(buffer, with: &decoder)
            bodyCount += count
            if case nil = body.declaredLength, bodyCount > server.configuration.largestBody {
                throw Refusal.bodyTooLarge
            }
            bodyClock?.received(count, now: loop.now)
            if count > 0 { owesContinue = false }
            if decoder.isComplete {
                bodyClock = nil
                body.finish(.success(()))
            } else if body.freeRoom == 0 {
                bodyClock?.hold(now: loop.now)
                socket.pauseReading()
            }
            return count
        } catch {
            refuse(error as? Refusal ?? .malformed)
            return buffer.count
        }
    }

    /// The handler waits for the body: now the client is told to send it, if it has asked.
    func bodyIsWanted() {
        guard phase == .serving, owesContinue else { return }
        owesContinue = false
        socket.write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
    }

    /// The handler has taken what waited.
    func bodyHasRoom() {
        guard phase == .serving, !decoder.isComplete else { return }
        bodyClock?.release(now: loop.now)
        armTimer()
        socket.resumeReading()
    }

    /// Reads past the rest of a body that nobody wants; returns nil when the connection has ended by it.
    func skipBody(_ buffer: UnsafeRawBufferPointer) -> Int? {
        var nowhere: [UInt8] = []
        do {
            let count = try decoder.decode(buffer, into: &nowhere, room: .max)
            guard decoder.isComplete else { return count }
            phase = .waiting
            loop.execute { [self] in goOn() }
            return count
        } catch {
            socket.close()
            return nil
        }
    }

    private func startHeadDeadline() {
        phaseDeadline = loop.now + server.times.head
        armTimer()
    }
}
