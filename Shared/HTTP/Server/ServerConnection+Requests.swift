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
        if takeRequest() {
            let task = Task.immediate(executorPreference: loop) { await self.serve() }
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

    /// Serves the request that has been taken and what has come completely behind it.
    private func serve() async {
        while let request = upcoming.take() {
            // Handed over rather than kept: the head's memory serves the next request when nobody refers to it.
            await answer(request)
            guard phase == .waiting, isReceiving, takeRequest() else { break }
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

    /// Takes the next request of the input, with as much of its body as there is; false when there is none, or none may be
    /// served now.
    private func takeRequest() -> Bool {
        guard phase == .waiting, consumed < input.count, mayServe() else { return false }
        do {
            let head = rest
            guard let length = try parser.parse(head) else {
                // The first head's time began when the connection was opened.
                if !isWithinHead && !isFirstRequest { startHeadDeadline() }
                isWithinHead = true
                return false
            }
            let storage = server.takeStorage()
            storage.fill(UnsafeRawBufferPointer(rebasing: head[..<length]), parser.fields)
            let parts = parser.parts
            parser.reset()
            isWithinHead = false
            consumed += length
            let body = try beginBody(parts)
            guard phase == .serving else { return false }
            upcoming = Request(storage: storage, parts: parts, body: body, receivedAt: loop.now, socket: socket)
            return true
        } catch {
            refuse(error)
            return false
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

    private func beginBody(_ parts: HeadParts) throws(Refusal) -> RequestBody {
        phase = .serving
        phaseDeadline = .max
        isFirstRequest = false
        guard parts.framing != .none else { return RequestBody() }
        var length: Int?
        if case .length(let count) = parts.framing {
            guard count <= server.configuration.largestBody else { throw .bodyTooLarge }
            length = count
        }
        let stream = BodyStream(declaredLength: length, loop: loop, connection: self)
        body = stream
        bodyCount = 0
        decoder = BodyDecoder(parts.framing, limits: server.configuration.limits)
        owesContinue = parts.expectsContinue
        bodyClock = BodyClock(now: loop.now, grace: server.times.bodyGrace, rate: server.configuration.bodyRate)
        consumed += feedBody(rest)
        if !decoder.isComplete { armTimer() }
        return RequestBody(stream)
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
