extension EngineMachine {
    /// A GET has come; unless it is refused, it waits until `answerPoll`.
    mutating func poll(now: UInt64, _ actions: inout [Action]) throws(EngineError) {
        guard phase != .closed else { throw .unknownSession }
        guard transport == .polling else { throw .badRequest }
        guard !isPollWaiting else {
            end(.transportError, &actions)
            throw .badRequest
        }
        try requestCame(now: now, &actions)
        isPollWaiting = true
        if phase == .closing {
            queue.append(EnginePacket(.close))
            phase = .closed
            answerPoll(&actions)
            actions.append(.forget)
        } else if !queue.isEmpty {
            answerPoll(&actions)
        } else if let left = candidate?.noopsLeft, left > 0 {
            candidate?.noopsLeft = left - 1
            endPoll(&actions)
        }
    }

    /// A request finds its session as it is `now`, whether or not a timer has said so.
    mutating func requestCame(now: UInt64, _ actions: inout [Action]) throws(EngineError) {
        timePassed(now: now, &actions)
        guard phase != .closed else { throw .unknownSession }
    }

    /// The client of the poll that waits has gone; what it was to get may be lost with it, so the session ends.
    mutating func pollLost(_ actions: inout [Action]) {
        guard isPollWaiting else { return }
        isPollWaiting = false
        end(.transportError, &actions)
    }

    /// A POST has begun to come.
    mutating func postBegan(now: UInt64, _ actions: inout [Action]) throws(EngineError) {
        try requestCame(now: now, &actions)
        guard transport == .polling else { throw .badRequest }
        guard !isPostUnderWay else {
            end(.transportError, &actions)
            throw .badRequest
        }
        isPostUnderWay = true
    }

    /// A POST has come whole; nil where it was larger than allowed, which the session survives.
    mutating func posted(_ payload: PollPayload?, now: UInt64, _ actions: inout [Action]) throws(EngineError) {
        isPostUnderWay = false
        guard let payload, phase == .open else { return }
        guard let packets = payload.packets(version) else {
            end(.parseError, &actions)
            throw .badRequest
        }
        for packet in packets { received(packet, now: now, &actions) }
    }

    /// A POST has broken off.
    mutating func postLost(_ actions: inout [Action]) {
        isPostUnderWay = false
        end(.transportError, &actions)
    }

    /// Answers the poll that waits with all that waits for it.
    mutating func answerPoll(_ actions: inout [Action]) {
        isPollWaiting = false
        actions.append(.answerPoll(PollPayload(queue, version, asBinary: takesBinary)))
        queue = []
        polledBytes += UInt64(queuedBytes)
        queuedBytes = 0
    }

    /// Answers the poll that waits with nothing.
    mutating func endPoll(_ actions: inout [Action]) {
        guard isPollWaiting else { return }
        queue.append(EnginePacket(.noop))
        answerPoll(&actions)
    }
}
