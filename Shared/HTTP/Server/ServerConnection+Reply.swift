internal import EventLoop

extension ServerConnection {
    /// Runs the handler on the request that was taken and sends what it makes.
    func answerUpcoming() async {
        var request = upcoming.take()
        guard let parts = request?.parts, let storage = request?.storage else { return }
        let response: Response
        do {
            guard let request else { return }
            response = try await server.handler(request)
        } catch {
            response = server.configuration.refuse(Refusal(of: error))
        }
        // Let go at once: the head's memory serves a later request when nobody refers to it any more.
        request = nil
        // The connection may have ended, or been refused, while the handler was at work.
        guard phase == .serving else { return }
        let isForHead = parts.method == .head
        let keepsAlive = mayKeepAlive(parts)
        switch response.body {
        case .none:
            sendHead(response, length: response.status.isBodiless ? .none : .known(0), keepsAlive, parts)
        case .bytes(let bytes):
            send(response, bytes, keepsAlive, parts, isForHead: isForHead)
        case .file(let file, let offset, let length):
            sendHead(response, length: .known(length), keepsAlive, parts)
            if !isForHead { socket.write(file, offset: offset, length: length) }
        case .stream(let length, let produce):
            guard await stream(length, produce, of: response, keepsAlive, parts) else { return }
        case .upgrade(let takeOver):
            // Bytes of a body are no bytes of the next protocol.
            guard decoder.isComplete else { return refuse(.malformed) }
            sendHead(response, length: .none, true, parts)
            return handOver(takeOver)
        }
        finishReply(keepsAlive: keepsAlive)
        server.giveBack(storage)
    }

    private func mayKeepAlive(_ parts: HeadParts) -> Bool {
        guard parts.keepsAlive, !server.isDraining, !owesContinue else { return false }
        return (decoder.remaining ?? .max) <= Self.mostSkipped
    }

    private func headBytes(
        _ response: Response, _ length: ResponseHead.Length, _ keepsAlive: Bool, _ parts: HeadParts, extra: Int = 0
    ) -> [UInt8] {
        ResponseHead(
            status: response.status, length: length, keepsAlive: keepsAlive, isForVersion0: parts.minorVersion == 0
        ).bytes(response.headers, date: server.dateField, extra: extra)
    }

    private func sendHead(
        _ response: Response, length: ResponseHead.Length, _ keepsAlive: Bool, _ parts: HeadParts
    ) {
        socket.write(headBytes(response, length, keepsAlive, parts))
    }

    private func send(
        _ response: Response, _ bytes: [UInt8], _ keepsAlive: Bool, _ parts: HeadParts, isForHead: Bool
    ) {
        if response.status.isBodiless { return sendHead(response, length: .none, keepsAlive, parts) }
        if isForHead { return sendHead(response, length: .known(bytes.count), keepsAlive, parts) }
        // Copying a small body is cheaper than a second piece in the queue.
        let isSmall = bytes.count <= 4096
        var out = headBytes(response, .known(bytes.count), keepsAlive, parts, extra: isSmall ? bytes.count : 0)
        if isSmall { out += bytes }
        socket.write(out)
        if !isSmall { socket.write(bytes) }
    }

    /// Whether the reply has been sent completely.
    private func stream(
        _ length: Int?, _ produce: (BodyWriter) async throws -> Void, of response: Response, _ keepsAlive: Bool,
        _ parts: HeadParts
    ) async -> Bool {
        let isChunked = length == nil && parts.minorVersion == 1
        sendHead(
            response, length: length.map { .known($0) } ?? (isChunked ? .chunked : .untilClose),
            keepsAlive && (length != nil || isChunked), parts)
        if parts.method == .head { return true }
        reply = StreamedReply(isChunked: isChunked, left: length)
        do {
            try await produce(BodyWriter(connection: self))
        } catch {
            socket.close()
        }
        defer { reply = nil }
        guard phase == .serving else { return false }
        if isChunked { socket.write(Array("0\r\n\r\n".utf8)) }
        if let left = reply?.left, left > 0 {
            socket.close()
            return false
        }
        return true
    }

    /// Writes a piece of a streamed body.
    func writeBody(_ bytes: [UInt8]) async throws(BodyError) {
        loop.preconditionInLoop()
        guard phase == .serving else { throw .disconnected }
        guard !bytes.isEmpty else { return }
        if let left = reply?.left {
            guard bytes.count <= left else { throw .tooLarge }
            reply?.left = left - bytes.count
        }
        if reply?.isChunked == true {
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
        if !decoder.isComplete {
            guard keepsAlive, let left = decoder.remaining, left <= Self.mostSkipped, !hasSeenEnd else {
                return linger()
            }
            phase = .skipping
            phaseDeadline = loop.now + server.times.head
            return armTimer()
        }
        guard keepsAlive else { return endAfterReply() }
        becomeIdle()
    }

    /// Without unread input a plain close cannot destroy the reply on its way.
    private func endAfterReply() {
        guard socket.unreadCount == 0 else { return linger() }
        phase = .lingering
        phaseDeadline = loop.now + server.times.linger
        socket.closeAfterFlush()
        if phase == .lingering { armTimer() }
    }

    /// Ends our side after the reply and reads past what still comes: closing with unread input would reset the connection
    /// and take the reply away from the client.
    private func linger() {
        guard !hasSeenEnd else { return socket.closeAfterFlush() }
        phase = .lingering
        phaseDeadline = loop.now + server.times.linger
        socket.endAfterFlush()
        socket.resumeReading()
        if phase == .lingering { armTimer() }
    }

    /// Answers in the handler's place and ends the connection.
    func refuse(_ refusal: Refusal) {
        guard phase != .ended, phase != .lingering else { return }
        let isStreaming = reply != nil
        body?.finish(.failure(refusal.bodyError))
        body = nil
        bodyClock = nil
        phase = .lingering
        task?.cancel()
        writer.wake()
        // In the middle of a reply there is no place for another.
        if isStreaming { return socket.close() }
        let response = server.configuration.refuse(refusal)
        var bytes: [UInt8] = []
        if case .bytes(let some) = response.body { bytes = some }
        let head = ResponseHead(
            status: response.status, length: .known(bytes.count), keepsAlive: false, isForVersion0: false)
        socket.write(head.bytes(response.headers, date: server.dateField, extra: bytes.count) + bytes)
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
