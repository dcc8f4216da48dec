internal import EventLoop

extension ServerConnection {
    /// Bytes of a streamed body that are queued before its producer waits.
    private static let streamRoom = 64 * 1024
    /// Copying a body up to this size to the end of its head is cheaper than queueing it by itself.
    private static let largestCopied = 4096

    /// Sends a reply with a complete body.
    func reply(with response: Response, to request: Request) {
        guard let head = head(of: response, to: request) else { return }
        switch response.body {
        case .bytes(let bytes) where head.sendsBody:
            send(head, response.headers, bytes)
        case .file(let file, let offset, let length) where head.sendsBody:
            send(head, response.headers)
            socket.write(file, offset: offset, length: length)
        case .upgrade(let takeOver):
            // The next protocol must not get bytes of a body.
            guard machine.bodyIsComplete else { return refuse(.malformed) }
            send(head, response.headers)
            return handOver(takeOver)
        case .none, .bytes, .file, .stream:
            send(head, response.headers)
        }
        finishReply(head)
    }

    /// Sends a reply with a body that is produced piece by piece.
    func reply(
        with response: Response, of length: Int?, _ produce: (BodyWriter) async throws -> Void, to request: Request
    ) async {
        guard let head = head(of: response, to: request) else { return }
        send(head, response.headers)
        if head.sendsBody {
            guard await stream(length, isChunked: head.length == .chunked, produce) else { return }
        }
        finishReply(head)
    }

    /// The head of a reply; nil if the request was refused, or its connection ended, while the handler worked.
    private func head(of response: Response, to request: Request) -> ResponseHead? {
        guard let mayKeepAlive = machine.beginReply(isDraining: server.isDraining) else { return nil }
        waiting.begin(response.account)
        return ResponseHead(response, to: request.parts, mayKeepAlive: mayKeepAlive)
    }

    private func finishReply(_ head: ResponseHead) {
        if socket.isCongested { waiting.settle(socket.queuedBytes) }
        body?.finish(.failure(.alreadyRead))
        body = nil
        perform(
            machine.finishReply(keepsAlive: head.keepsAlive, hasUnread: socket.unreadCount > 0, now: loop.now))
    }

    private func send(_ head: ResponseHead, _ headers: Headers) {
        send(head, headers, with: UnsafeRawBufferPointer(start: nil, count: 0))
    }

    private func send(_ head: ResponseHead, _ headers: Headers, _ bytes: [UInt8]) {
        guard bytes.count > Self.largestCopied else { return bytes.withUnsafeBytes { send(head, headers, with: $0) } }
        send(head, headers)
        socket.write(bytes)
    }

    private func send(_ head: ResponseHead, _ headers: Headers, with body: UnsafeRawBufferPointer) {
        server.withDate { date in
            socket.write { head.append(headers, date: date, body: body, to: &$0) }
        }
    }

    /// Sends the reply of a refusal.
    func send(_ refusal: Refusal) {
        let response = server.configuration.refuse(refusal)
        var parts = HeadParts()
        parts.method = .get
        let head = ResponseHead(response, to: parts, mayKeepAlive: false)
        if case .bytes(let bytes) = response.body, head.sendsBody {
            send(head, response.headers, bytes)
        } else {
            send(ResponseHead(Response(response.status), to: parts, mayKeepAlive: false), response.headers)
        }
    }

    /// Lets `produce` write the body.
    ///
    /// - Returns: false if the connection has ended meanwhile.
    private func stream(
        _ length: Int?, isChunked: Bool, _ produce: (BodyWriter) async throws -> Void
    ) async -> Bool {
        machine.beginStream(ReplyStream(isChunked: isChunked, left: length))
        do {
            try await produce(BodyWriter(connection: self))
        } catch {
            socket.close()
        }
        guard let isComplete = machine.endStream() else { return false }
        guard isComplete else {
            socket.close()
            return false
        }
        if isChunked { socket.write(Array("0\r\n\r\n".utf8)) }
        return true
    }

    /// Queues a piece of a streamed body.
    ///
    /// - Returns: whether the producer is to wait for the client, by `waitForClient`, before the next piece.
    func queueBody(_ bytes: [UInt8]) throws(BodyError) -> Bool {
        loop.preconditionInLoop()
        let isChunked = try machine.streamed(bytes.count)
        guard !bytes.isEmpty else { return false }
        if isChunked { socket.write(Array((String(bytes.count, radix: 16) + "\r\n").utf8)) }
        socket.write(bytes)
        if isChunked { socket.write([0x0D, 0x0A]) }
        guard socket.queuedBytes > Self.streamRoom else { return false }
        socket.flush()
        if socket.isCongested { waiting.settle(socket.queuedBytes) }
        return !socket.isDrained
    }

    /// Waits until the client has taken everything that was queued.
    func waitForClient() async throws(BodyError) {
        loop.preconditionInLoop()
        while machine.isServing, !socket.isDrained {
            await writer.wait()
            if Task.isCancelled { throw .disconnected }
        }
        guard machine.isServing else { throw .disconnected }
    }

    private func handOver(_ takeOver: @Sendable (StreamSocket) -> any StreamHandler) {
        server.handOver(self)
        leave()
        socket.writeLimit = StreamSocket.defaultWriteLimit
        socket.handOver(to: takeOver(socket))
    }
}
