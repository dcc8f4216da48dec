import WebSocket

extension EngineMachine {
    /// A GET has arrived; unless it is refused, it waits until `answerPoll`.
    mutating func poll(now: UInt64, _ actions: inout [Action]) throws(EngineError) {
        guard phase != .closed else { throw .unknownSession }
        guard transport == .polling else { throw .badRequest }
        guard !isPollWaiting else {
            end(.transportError, &actions)
            throw .badRequest
        }
        try requestCame(now: now, &actions)
        isPollWaiting = true
        if phase == .closing, queue.count < PollPayload.packetsPerAnswer {
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

    /// Applies the passed time first, so that a request finds the session's state at `now` even if a timer is late.
    mutating func requestCame(now: UInt64, _ actions: inout [Action]) throws(EngineError) {
        timePassed(now: now, &actions)
        guard phase != .closed else { throw .unknownSession }
    }

    /// The client of the waiting poll has gone. The answer may be lost with it, so the session ends.
    mutating func pollLost(_ actions: inout [Action]) {
        guard isPollWaiting else { return }
        isPollWaiting = false
        end(.transportError, &actions)
    }

    /// A POST has begun.
    mutating func postBegan(now: UInt64, _ actions: inout [Action]) throws(EngineError) {
        try requestCame(now: now, &actions)
        guard transport == .polling else { throw .badRequest }
        guard !isPostUnderWay else {
            end(.transportError, &actions)
            throw .badRequest
        }
        isPostUnderWay = true
    }

    /// A POST is complete; nil if it was larger than allowed, which does not end the session.
    mutating func posted(_ payload: PollPayload?, now: UInt64, _ actions: inout [Action]) throws(EngineError) {
        isPostUnderWay = false
        guard let payload, phase == .open else { return }
        guard let packets = payload.packets(version) else {
            end(.parseError, &actions)
            throw .badRequest
        }
        do throws(ProtocolFailure) {
            try postBudget?.take(frames: packets.count, now: now)
        } catch {
            end(.overRate, &actions)
            throw .badRequest
        }
        for packet in packets { received(packet, now: now, &actions) }
    }

    /// A POST was broken off.
    mutating func postLost(_ actions: inout [Action]) {
        isPostUnderWay = false
        end(.transportError, &actions)
    }

    /// Answers the waiting poll with the next queued packets.
    mutating func answerPoll(_ actions: inout [Action]) {
        isPollWaiting = false
        let packets = Array(queue.prefix(PollPayload.packetsPerAnswer))
        queue.removeFirst(packets.count)
        actions.append(.answerPoll(PollPayload(packets, version, asBinary: takesBinary)))
        let bytes = queue.isEmpty ? queuedBytes : packets.reduce(0) { $0 + frameSize(of: $1) }
        polledBytes += UInt64(bytes)
        queuedBytes -= bytes
    }

    /// Answers the waiting poll without packets.
    mutating func endPoll(_ actions: inout [Action]) {
        guard isPollWaiting else { return }
        queue.append(EnginePacket(.noop))
        answerPoll(&actions)
    }
}
