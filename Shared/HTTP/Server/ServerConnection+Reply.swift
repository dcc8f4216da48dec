internal import EventLoop

extension ServerConnection {
    /// Answers a request, in a task where that takes time.
    func serve(_ request: consuming Request) {
        switch server.handler(request) {
        case .reply(let response):
            if case .stream = response.body {
                work(on: request) { response }
            } else {
                reply(with: response, to: request)
                server.giveBack(consume request)
            }
        case .work(let work): self.work(on: request, work)
        }
    }

    private func work(on request: Request, _ work: @escaping @Sendable () async throws -> Response) {
        isAtWork = true
        let task = Task.immediate(executorPreference: loop) {
            let response: Response
            do {
                response = try await work()
            } catch {
                response = self.server.configuration.refuse(Refusal(of: error))
            }
            if case .stream(let length, let produce) = response.body {
                await self.reply(with: response, of: length, produce, to: request)
            } else {
                self.reply(with: response, to: request)
            }
            self.isAtWork = false
            self.task = nil
            self.goOn()
        }
        guard isAtWork else { return }
        self.task = task
        // Its client may have gone before the handler began.
        if hasSeenEnd || phase == .ended { task.cancel() }
    }

    /// Sends a reply whose body is there.
    private func reply(with response: Response, to request: Request) {
        guard let head = head(of: response, to: request) else { return }
        switch response.body {
        case .bytes(let bytes) where head.sendsBody:
            send(head, response.headers, bytes)
        case .file(let file, let offset, let length) where head.sendsBody:
            send(head, response.headers)
            socket.write(file, offset: offset, length: length)
        case .upgrade(let takeOver):
            // Bytes of a body are no bytes of the next protocol.
            guard decoder.isComplete && behind.isEmpty else { return refuse(.malformed) }
            send(head, response.headers)
            return handOver(takeOver)
        case .none, .bytes, .file, .stream:
            send(head, response.headers)
        }
        finishReply(keepsAlive: head.keepsAlive)
    }

    /// Sends a reply whose body is yet to be produced.
    private func reply(
        with response: Response, of length: Int?, _ produce: (BodyWriter) async throws -> Void, to request: Request
    ) async {
        guard let head = head(of: response, to: request) else { return }
        send(head, response.headers)
        if head.sendsBody {
            guard await stream(length, isChunked: head.length == .chunked, produce) else { return }
        }
        finishReply(keepsAlive: head.keepsAlive)
    }

    /// How the reply begins; nil where the connection has ended, or been refused, while the handler was at work.
    private func head(of response: Response, to request: Request) -> ResponseHead? {
        guard phase == .serving else { return nil }
        let head = ResponseHead(response, to: request.parts, mayKeepAlive: mayKeepAlive)
        // Behind a reply's head nothing asks for the body any more.
        owesContinue = false
        return head
    }

    /// Whether nothing but the client's own wish speaks against serving another request.
    private var mayKeepAlive: Bool {
        !server.isDraining && !owesContinue && (decoder.remaining ?? .max) <= Self.mostSkipped
    }

    private func send(_ head: ResponseHead, _ headers: Headers) {
        send(head, headers, with: UnsafeRawBufferPointer(start: nil, count: 0))
    }

    private func send(_ head: ResponseHead, _ headers: Headers, _ bytes: [UInt8]) {
        // Copying a small body is cheaper than a second piece in the queue.
        guard bytes.count > 4096 else { return bytes.withUnsafeBytes { send(head, headers, with: $0) } }
        send(head, headers)
        socket.write(bytes)
    }

    private func send(_ head: ResponseHead, _ headers: Headers, with body: UnsafeRawBufferPointer) {
        server.withDate { date in
            socket.write { head.append(headers, date: date, body: body, to: &$0) }
        }
    }

    /// Lets `produce` write the body; false when the connection has ended by it.
    private func stream(
        _ length: Int?, isChunked: Bool, _ produce: (BodyWriter) async throws -> Void
    ) async -> Bool {
        reply = StreamedReply(isChunked: isChunked, left: length)
        do {
            try await produce(BodyWriter(connection: self))
        } catch {
            socket.close()
        }
        let left = reply?.left ?? 0
        reply = nil
        guard phase == .serving else { return false }
        guard left == 0 else {
            socket.close()
            return false
        }
        if isChunked { socket.write(Array("0\r\n\r\n".utf8)) }
        return true
    }

    /// Writes a piece of a streamed body.
    func writeBody(_ bytes: [UInt8]) async throws(BodyError) {
        loop.preconditionInLoop()
        guard phase == .serving, let reply else { throw .disconnected }
        guard !bytes.isEmpty else { return }
        if let left = reply.left {
            guard bytes.count <= left else { throw .tooLarge }
            self.reply?.left = left - bytes.count
        }
        if reply.isChunked {
            socket.write(Array((String(bytes.count, radix: 16) + "\r\n").utf8))
            socket.write(bytes)
            socket.write([0x0D, 0x0A])
        } else {
            socket.write(bytes)
        }
        guard socket.queuedBytes > Self.pipelineRoom else { return }
        socket.flush()
        while phase == .serving, !socket.isDrained {
            await writer.wait()
            if Task.isCancelled { throw .disconnected }
        }
        guard phase == .serving else { throw .disconnected }
    }

    private func handOver(_ takeOver: @Sendable (StreamSocket) -> any StreamHandler) {
        leave()
        socket.writeLimit = StreamSocket.defaultWriteLimit
        socket.handOver(to: takeOver(socket))
    }

    /// Goes on to the next request, or to the end of the connection.
    private func finishReply(keepsAlive: Bool) {
        body?.finish(.failure(.alreadyRead))
        body = nil
        bodyClock = nil
        if decoder.isComplete {
            if keepsAlive {
                phase = .waiting
                return
            }
            // With no input left, a plain close cannot destroy the reply on its way.
            if socket.unreadCount == 0 { return closeAfterReply() }
        }
        guard keepsAlive, (decoder.remaining ?? .max) <= Self.mostSkipped else { return linger() }
        phase = .skipping
        phaseDeadline = loop.now + server.times.head
        armTimer()
    }

    private func closeAfterReply() {
        phase = .lingering
        phaseDeadline = loop.now + server.times.linger
        armTimer()
        socket.closeAfterFlush()
    }

    /// Ends our side after the reply. What still comes is read past: closing with unread input would reset
    /// the connection and take the reply away from the client.
    private func linger() {
        guard !hasSeenEnd else { return socket.closeAfterFlush() }
        phase = .lingering
        phaseDeadline = loop.now + server.times.linger
        socket.endAfterFlush()
        armTimer()
        socket.takeUnread()
    }

    /// Answers in the handler's place and ends the connection.
    func refuse(_ refusal: Refusal) {
        guard phase != .ended, phase != .lingering else { return }
        body?.finish(.failure(refusal.bodyError))
        body = nil
        bodyClock = nil
        upcoming = nil
        behind = []
        phase = .lingering
        task?.cancel()
        writer.wake()
        // In the middle of a reply there is no place for another.
        guard reply == nil else { return socket.close() }
        let response = server.configuration.refuse(refusal)
        var parts = HeadParts()
        parts.method = .get
        let head = ResponseHead(response, to: parts, mayKeepAlive: false)
        if case .bytes(let bytes) = response.body, head.sendsBody {
            send(head, response.headers, bytes)
        } else {
            send(ResponseHead(Response(response.status), to: parts, mayKeepAlive: false), response.headers)
        }
        linger()
    }
}

extension Refusal {
    /// What an error that a handler has thrown comes to.
    init(of error: any Error) {
        if let refusal = error as? Refusal {
            self = refusal
            return
        }
        self =
            switch error as? BodyError {
            case .tooLarge: .bodyTooLarge
            case .timeout: .timeout
            case .malformed: .malformed
            case .disconnected, .alreadyRead, nil: .handlerFailed(error)
            }
    }

    /// What the reader of the body is told.
    var bodyError: BodyError {
        switch self {
        case .bodyTooLarge: .tooLarge
        case .timeout: .timeout
        case .malformed, .headersTooLarge, .targetTooLong, .unsupportedVersion, .unsupportedCoding, .expectationFailed:
            .malformed
        case .overloaded, .handlerFailed: .disconnected
        }
    }
}
