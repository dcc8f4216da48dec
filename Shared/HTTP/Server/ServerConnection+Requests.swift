internal import EventLoop

extension ServerConnection {
    /// Takes the next request, and returns how many bytes it has used.
    ///
    /// The request is served after the other sockets of this turn have been read. Where others stand behind it, a row of
    /// them is taken and then served at once: so the code and the bytes that each step needs stay in the processor's caches.
    func takeRow(_ buffer: UnsafeRawBufferPointer) -> Int {
        var used = takeNext(buffer)
        if isUpcoming { used += lookAhead(UnsafeRawBufferPointer(rebasing: buffer[used...])) }
        if !behind.isEmpty && server.hasTimeForRow {
            isInRow = true
            serveRow()
            isInRow = false
            if phase == .waiting {
                used += takeNext(UnsafeRawBufferPointer(rebasing: buffer[used...]))
                if phase == .waiting && !isWithinHead { becomeIdle() }
                if isUpcoming { server.serve(self) }
            }
        } else if isUpcoming {
            server.serve(self)
        }
        return phase == .lingering ? buffer.count : used
    }

    /// Takes the request that stands behind what is left of the last one's body.
    private func takeNext(_ buffer: UnsafeRawBufferPointer) -> Int {
        let skipped = phase == .skipping ? skipBody(buffer) : 0
        return skipped + takeRequest(UnsafeRawBufferPointer(rebasing: buffer[skipped...]))
    }

    /// Takes the next request where `buffer` holds a whole head, and as much of its body as has come; returns how many
    /// bytes it has used.
    private func takeRequest(_ buffer: UnsafeRawBufferPointer) -> Int {
        guard !buffer.isEmpty, mayServe(buffer) else { return 0 }
        do {
            guard let length = try parser.parse(buffer) else {
                // The first head's time began when the connection was opened.
                if !isWithinHead && !isFirstRequest { startHeadDeadline() }
                isWithinHead = true
                return 0
            }
            let (storage, parts) = takeHead(UnsafeRawBufferPointer(rebasing: buffer[..<length]))
            isWithinHead = false
            isFirstRequest = false
            phase = .serving
            phaseDeadline = .max
            var consumed = length
            let body = try takeBody(parts, UnsafeRawBufferPointer(rebasing: buffer[length...]), &consumed)
            guard phase == .serving else { return buffer.count }
            upcoming = Request(storage: storage, parts: parts, body: body, receivedAt: loop.now, socket: socket)
            return consumed
        } catch {
            refuse(error)
            return buffer.count
        }
    }

    /// Takes plain requests that stand behind a plain one. What is refused, or not there as a whole, is left for its turn.
    private func lookAhead(_ buffer: UnsafeRawBufferPointer) -> Int {
        guard upcoming?.parts.isPlain == true else { return 0 }
        var used = 0
        let now = loop.now
        while behind.count + 1 < ServerLoop.requestsInARow && used < buffer.count {
            let rest = UnsafeRawBufferPointer(rebasing: buffer[used...])
            guard let length = try? parser.parse(rest), parser.parts.isPlain else {
                parser.reset()
                break
            }
            let (storage, parts) = takeHead(UnsafeRawBufferPointer(rebasing: rest[..<length]))
            behind.append(
                Request(storage: storage, parts: parts, body: RequestBody(), receivedAt: now, socket: socket))
            used += length
        }
        behind.reverse()
        return used
    }

    /// Takes over the head that was parsed.
    private func takeHead(_ bytes: UnsafeRawBufferPointer) -> (HeadStorage, HeadParts) {
        let storage = server.takeStorage()
        parser.fill(storage, from: bytes)
        defer { parser.reset() }
        return (storage, parser.parts)
    }

    /// Whether there is room for one more reply; makes sure that somebody comes back if not.
    private func mayServe(_ buffer: UnsafeRawBufferPointer) -> Bool {
        if !hasRoom { boundPipeline(buffer.count) }
        return !isHeldBack && phase == .waiting
    }

    /// Whether there is room for one more reply; `drained` comes if not.
    private var hasRoom: Bool {
        if isCongested { socket.flush() }
        isHeldBack = isCongested
        return !isHeldBack
    }

    private var isCongested: Bool {
        socket.queuedBytes > Self.pipelineRoom || socket.queuedPieces > Self.mostQueuedPieces
    }

    /// Serves what was taken until one has to wait, and goes on to what stands behind it.
    func serveRow() {
        while let request = upcoming.take() {
            server.requestsLeft -= 1
            serve(consume request)
            guard phase == .waiting, let next = behind.popLast() else { break }
            upcoming = next
            phase = .serving
            guard hasRoom else { return }
        }
        goOn()
    }

    /// Takes up what has waited behind a request.
    func goOn() {
        guard !isInRow, phase == .waiting || phase == .skipping else { return }
        isHeldBack = false
        upcoming = behind.popLast()
        guard !isUpcoming else {
            phase = .serving
            return server.serve(self)
        }
        socket.takeUnread()
        // Who has asked for more already is not idle.
        if phase == .waiting && !isWithinHead { becomeIdle() }
    }

    // MARK: Bodies

    private func takeBody(
        _ parts: HeadParts, _ buffer: UnsafeRawBufferPointer, _ consumed: inout Int
    ) throws(Refusal) -> RequestBody {
        var length: Int?
        switch parts.framing {
        case .none: return RequestBody()
        case .length(let count):
            guard count <= server.configuration.largestBody else { throw .bodyTooLarge }
            length = count
        case .chunked: break
        }
        let stream = BodyStream(declaredLength: length, loop: loop, connection: self)
        body = stream
        bodyCount = 0
        decoder = BodyDecoder(parts.framing, limits: server.configuration.limits)
        owesContinue = parts.expectsContinue
        bodyClock = BodyClock(now: loop.now, grace: server.times.bodyGrace, rate: server.configuration.bodyRate)
        consumed += feedBody(buffer)
        if phase == .serving && !decoder.isComplete { armTimer() }
        return RequestBody(stream)
    }

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
            if body.declaredLength == nil && bodyCount > server.configuration.largestBody { throw Refusal.bodyTooLarge }
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

    /// Reads past the rest of a body that nobody wants; returns how much of `buffer` that was.
    private func skipBody(_ buffer: UnsafeRawBufferPointer) -> Int {
        var nowhere: [UInt8] = []
        do {
            let count = try decoder.decode(buffer, into: &nowhere, room: .max)
            if decoder.isComplete { becomeIdle() }
            return count
        } catch {
            socket.close()
            return buffer.count
        }
    }

    /// Waits for the next request.
    func becomeIdle() {
        phase = .waiting
        phaseDeadline = loop.now + server.times.idle
        timer?.restart(at: phaseDeadline)
    }

    private func startHeadDeadline() {
        phaseDeadline = loop.now + server.times.head
        armTimer()
    }
}
