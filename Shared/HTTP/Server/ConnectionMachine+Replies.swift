extension ConnectionMachine {
    /// The reply begins; nil if the request was refused or its connection has ended.
    ///
    /// - Returns: whether the server may keep the connection for another request.
    mutating func beginReply(isDraining: Bool) -> Bool? {
        guard case .serving(var exchange) = state else { return nil }
        defer { state = .serving(exchange) }
        guard let body = exchange.body else { return !isDraining }
        // 100 Continue must not follow the head of a reply.
        exchange.body?.settleContinue()
        return !isDraining && !body.owesContinue && body.missing <= Self.mostSkipped
    }

    /// Whether all of the request's body has arrived.
    var bodyIsComplete: Bool {
        guard case .serving(let exchange) = state else { return false }
        return exchange.body?.isComplete ?? true
    }

    /// The body of the reply will be streamed.
    mutating func beginStream(_ stream: ReplyStream) { replaceStream(stream) }

    /// A piece of the streamed body is to be written.
    ///
    /// - Returns: whether it is framed as a chunk.
    /// - Throws: `disconnected` if no reply is being streamed, `tooLarge` beyond the promised length.
    mutating func streamed(_ count: Int) throws(BodyError) -> Bool {
        guard case .serving(let exchange) = state, var stream = exchange.stream else { throw .disconnected }
        try stream.wrote(count)
        replaceStream(stream)
        return stream.isChunked
    }

    /// The streamed body has ended; nil if its connection has.
    ///
    /// - Returns: whether all promised bytes were written.
    mutating func endStream() -> Bool? {
        guard case .serving(let exchange) = state else { return nil }
        defer { replaceStream(nil) }
        return (exchange.stream?.left ?? 0) == 0
    }

    private mutating func replaceStream(_ stream: ReplyStream?) {
        guard case .serving(var exchange) = state else { return }
        exchange.stream = stream
        state = .serving(exchange)
    }

    /// The reply is queued as a whole. After `none`, offer the waiting input and call `becameIdle`.
    mutating func finishReply(keepsAlive: Bool, hasUnread: Bool, now: UInt64) -> Action {
        guard case .serving(let exchange) = state else { return .none }
        if let body = exchange.body, !body.isComplete {
            guard keepsAlive, body.missing <= Self.mostSkipped else { return linger(now: now) }
            state = .skipping(body.decoder)
            stateDeadline = now + rules.headTime
            return .setTimer
        }
        guard !keepsAlive else {
            state = .waiting(Waiting())
            return .none
        }
        guard !hasUnread else { return linger(now: now) }
        // Without unread input, a plain close cannot destroy the reply on its way.
        state = .lingering
        stateDeadline = now + rules.lingerTime
        return .closeAfterFlush
    }

    /// Prepares for input that has waited for the end of a request.
    ///
    /// - Returns: whether there may be another request.
    mutating func goOn() -> Bool {
        switch state {
        case .waiting(let waiting):
            if waiting.isHeldBack { state = .waiting(Waiting(isWithinHead: waiting.isWithinHead)) }
            return true
        case .skipping: return true
        case .serving, .lingering, .ended: return false
        }
    }

    /// Starts the idle time, unless a part of the next request is there.
    ///
    /// - Returns: whether to set the timer.
    mutating func becameIdle(now: UInt64) -> Bool {
        guard isBetweenRequests else { return false }
        stateDeadline = now + rules.idleTime
        return true
    }
}
