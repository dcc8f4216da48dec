/// The state of one HTTP connection, without I/O: events go in, actions come out, and `ServerConnection` performs them.
///
/// One request is served at a time. Bytes of pipelined requests stay with the caller until the reply is out, and a
/// request is not taken while the replies before it wait for the client. All times are the loop's nanoseconds.
struct ConnectionMachine {
    enum State {
        /// No request is being served; the next head has not arrived completely.
        case waiting(Waiting)
        /// A handler works on a request, or its reply is being streamed.
        case serving(Exchange)
        /// The reply is out; the rest of a short body is discarded.
        case skipping(BodyDecoder)
        /// No more requests will be served; input is discarded until the client has seen the reply.
        case lingering
        /// The socket is closed or handed over.
        case ended
    }

    struct Waiting {
        /// A part of the next head has arrived.
        var isWithinHead = false
        /// The next request waits until the client has taken the replies before it.
        var isHeldBack = false
    }

    /// The request that is being served.
    struct Exchange {
        /// Nil if the request has no body.
        var body: IncomingBody?
        /// The part of the reply that is being streamed; nil before and after.
        var stream: ReplyStream?
    }

    /// An action for the driver.
    enum Action {
        case none
        /// Set the timer to `nextDeadline`.
        case setTimer
        /// Send the refusal's reply, then perform `linger`.
        case refuse(Refusal)
        /// Close in the middle of a reply: another reply cannot follow.
        case breakOff(Refusal)
        case close
        /// Close when everything queued has been sent.
        case closeAfterFlush
        /// End the sending side after the queued bytes, and read on until the client closes.
        case endAfterFlush
    }

    /// Bytes of pipelined requests that the driver reads ahead.
    static let pipelineRoom = 64 * 1024
    /// A rest of a body of this many bytes is discarded; for a larger rest the connection closes.
    static let mostSkipped = 64 * 1024
    /// How long a drain waits for the first request of a new connection.
    static let firstRequestGrace: UInt64 = 1_000_000_000

    var state = State.waiting(Waiting())
    private(set) var hasSeenEnd = false
    var isFirstRequest = true
    let rules: ConnectionRules
    var parser: RequestParser
    /// When the present state ends; `.max` while a request is being served.
    var stateDeadline: UInt64
    private var writing = WriteDeadline()

    init(_ rules: ConnectionRules, now: UInt64) {
        self.rules = rules
        parser = RequestParser(limits: rules.limits)
        stateDeadline = now + rules.headTime
    }

    // MARK: Facts

    /// Whether a request is being served.
    var isServing: Bool { if case .serving = state { true } else { false } }

    /// Whether no request, and no part of a head, has arrived since the last reply.
    var isBetweenRequests: Bool { if case .waiting(let waiting) = state { !waiting.isWithinHead } else { false } }

    /// Whether closing the connection would take nothing from its client.
    var isIdle: Bool { isBetweenRequests && !isFirstRequest }

    /// When to call `deadlinePassed`.
    var nextDeadline: UInt64 {
        var next = min(stateDeadline, writing.deadline)
        if case .serving(let exchange) = state, let body = exchange.body { next = min(next, body.deadline) }
        return next
    }

    // MARK: Ending

    /// Answers in the handler's place and ends the connection.
    mutating func refuse(_ refusal: Refusal, now: UInt64) -> Action {
        var isWithinReply = false
        switch state {
        case .lingering, .ended: return .none
        case .serving(let exchange): isWithinReply = exchange.stream != nil
        case .waiting, .skipping: break
        }
        state = .lingering
        stateDeadline = now + rules.lingerTime
        return isWithinReply ? .breakOff(refusal) : .refuse(refusal)
    }

    /// Ends the sending side. Input is still read: closing with unread input would reset the connection and take the reply
    /// away from the client.
    mutating func linger(now: UInt64) -> Action {
        state = .lingering
        stateDeadline = now + rules.lingerTime
        return hasSeenEnd ? .closeAfterFlush : .endAfterFlush
    }

    // MARK: The connection

    /// The client will send no more.
    ///
    /// - Returns: an action; nil if a request is being served and its handler is to be cancelled.
    mutating func endOfInput() -> Action? {
        hasSeenEnd = true
        switch state {
        case .waiting(let waiting):
            // Requests that are held back are served first; the end is reported again after them.
            guard !waiting.isHeldBack else { return Action.none }
            state = .lingering
            return .closeAfterFlush
        case .serving: return nil
        case .skipping, .lingering: return .closeAfterFlush
        case .ended: return Action.none
        }
    }

    /// The kernel takes no more bytes for now; set the timer.
    mutating func congested(sent: UInt64, now: UInt64) {
        writing = WriteDeadline(deadline: now + rules.writeTime, sent: sent)
    }

    /// All queued bytes have left.
    ///
    /// - Returns: whether a request was held back.
    mutating func drained() -> Bool {
        writing = WriteDeadline()
        if case .waiting(let waiting) = state { return waiting.isHeldBack }
        return false
    }

    /// The server drains, and everything that the kernel held was offered.
    mutating func drain(now: UInt64) -> Action {
        // A request that is held back has arrived: it is served, and its reply ends the connection.
        guard case .waiting(let waiting) = state, !waiting.isWithinHead, !waiting.isHeldBack else { return .none }
        guard isFirstRequest, !hasSeenEnd else {
            state = .lingering
            return .closeAfterFlush
        }
        // A client that has just connected is about to send its request.
        stateDeadline = min(stateDeadline, now + Self.firstRequestGrace)
        return .setTimer
    }

    /// The socket is closed or belongs to another protocol.
    mutating func end() { state = .ended }

    /// Checks the deadlines. The timer may fire early: it is not moved back when a deadline is.
    mutating func deadlinePassed(sent: UInt64, isDrained: Bool, now: UInt64) -> Action {
        if now >= writing.deadline {
            guard sent > writing.sent else { return .close }
            writing = WriteDeadline(deadline: now + rules.writeTime, sent: sent)
        }
        if case .serving(let exchange) = state, let body = exchange.body, body.isOverdue(now: now) {
            return refuse(.timeout, now: now)
        }
        guard now >= stateDeadline else { return .setTimer }
        switch state {
        case .waiting(let waiting) where waiting.isWithinHead: return refuse(.timeout, now: now)
        case .waiting where !isDrained, .lingering where !isDrained:
            // The client is still taking the last reply, which the write deadline limits.
            stateDeadline = now + rules.lingerTime
            return .setTimer
        case .waiting, .skipping, .lingering: return .close
        case .serving, .ended: return .none
        }
    }
}

/// The time by which a client that is slow to read must have taken another byte.
private struct WriteDeadline {
    var deadline = UInt64.max
    /// Bytes that the kernel had taken when the deadline was set.
    var sent: UInt64 = 0
}
