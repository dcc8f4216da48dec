extension ConnectionMachine {
    /// The result of received bytes.
    enum Reception {
        /// More bytes are needed, or have to wait.
        case wait
        /// Too many bytes of later requests wait: pause reading.
        case pause
        /// The rest of a body was discarded: set the timer, and offer the rest of the bytes.
        case skipped
        /// A request has begun; offer the rest of the bytes, which may belong to its body.
        case request(HeadParts, [FieldLine])
        /// The buffer has got bytes of the body.
        case bodyGrew
        /// The buffer is full: pause reading until the handler has taken it.
        case bodyFull
        /// The buffer has got the last bytes of the body.
        case bodyEnded
        case perform(Action)
    }

    /// Takes bytes from the client.
    ///
    /// - Parameters:
    ///   - buffer: gets the decoded bytes of the body.
    ///   - outputIsFull: whether so much of earlier replies waits that no further request is served.
    /// - Returns: the number of bytes consumed, and the result.
    mutating func received(
        _ bytes: UnsafeRawBufferPointer, into buffer: inout [UInt8], outputIsFull: Bool, now: UInt64
    ) -> (consumed: Int, Reception) {
        switch state {
        case .waiting(let waiting):
            guard outputIsFull else { return receivedHead(bytes, waiting, now: now) }
            state = .waiting(Waiting(isWithinHead: waiting.isWithinHead, isHeldBack: true))
            return (0, wait(for: bytes))
        case .serving(let exchange):
            guard let body = exchange.body, !body.isComplete else { return (0, wait(for: bytes)) }
            return receivedBody(bytes, exchange, body, into: &buffer, now: now)
        case .skipping(let decoder): return skipped(bytes, decoder, now: now)
        case .lingering, .ended: return (bytes.count, .wait)
        }
    }

    private func wait(for bytes: UnsafeRawBufferPointer) -> Reception {
        bytes.count >= Self.pipelineRoom ? .pause : .wait
    }

    private mutating func receivedHead(
        _ bytes: UnsafeRawBufferPointer, _ waiting: Waiting, now: UInt64
    ) -> (consumed: Int, Reception) {
        do {
            guard let length = try parser.parse(bytes) else {
                // The time limit of the first head began when the connection was opened.
                let isNewHead = !waiting.isWithinHead && !isFirstRequest
                if isNewHead { stateDeadline = now + rules.headTime }
                state = .waiting(Waiting(isWithinHead: true))
                return (0, isNewHead ? .perform(.setTimer) : .wait)
            }
            let head = parser.takeHead()
            state = .serving(Exchange(body: try IncomingBody(head.parts, rules, now: now)))
            isFirstRequest = false
            stateDeadline = .max
            return (length, .request(head.parts, head.fields))
        } catch {
            return (bytes.count, .perform(refuse(error, now: now)))
        }
    }

    private mutating func receivedBody(
        _ bytes: UnsafeRawBufferPointer, _ exchange: Exchange, _ body: IncomingBody, into buffer: inout [UInt8],
        now: UInt64
    ) -> (consumed: Int, Reception) {
        var body = body
        do {
            let count = try body.receive(bytes, into: &buffer, now: now)
            state = .serving(Exchange(body: body, stream: exchange.stream))
            if body.isComplete { return (count, .bodyEnded) }
            return (count, buffer.count >= IncomingBody.room ? .bodyFull : .bodyGrew)
        } catch {
            return (bytes.count, .perform(refuse(error, now: now)))
        }
    }

    private mutating func skipped(
        _ bytes: UnsafeRawBufferPointer, _ decoder: BodyDecoder, now: UInt64
    ) -> (consumed: Int, Reception) {
        var decoder = decoder
        var discarded: [UInt8] = []
        do {
            let count = try decoder.decode(bytes, into: &discarded, room: .max)
            state = .skipping(decoder)
            guard decoder.isComplete else { return (count, .wait) }
            state = .waiting(Waiting())
            stateDeadline = now + rules.idleTime
            return (count, .skipped)
        } catch {
            return (bytes.count, .perform(.close))
        }
    }

    /// The handler waits for the body.
    ///
    /// - Returns: whether to send `100 Continue`.
    mutating func bodyIsWanted() -> Bool {
        guard case .serving(var exchange) = state, exchange.body?.owesContinue == true else { return false }
        exchange.body?.settleContinue()
        state = .serving(exchange)
        return true
    }

    /// The handler has emptied the buffer.
    ///
    /// - Returns: whether to set the timer and read on.
    mutating func bodyWasTaken(now: UInt64) -> Bool {
        guard case .serving(var exchange) = state, exchange.body?.isComplete == false else { return false }
        exchange.body?.release(now: now)
        state = .serving(exchange)
        return true
    }
}
