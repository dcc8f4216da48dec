internal import WebSocket

/// One session of Engine.IO on the server, without I/O: requests, messages and passing time go in, actions come out.
///
/// Every event appends the required actions to `actions`, in order. Times are the loop's nanoseconds.
struct EngineMachine {
    enum Action: Equatable {
        case deliver(Message)
        /// Deliver to the application.
        case heartbeat(EngineHeartbeat)
        /// Reply to the waiting poll.
        case answerPoll(PollPayload)
        /// Send on the session's WebSocket.
        case write(Message)
        /// Send a message that was counted for a poll on the session's WebSocket, uncompressed as it was counted.
        case writeCounted(Message)
        case closeWebSocket
        /// Send on the upgrade candidate.
        case writeToCandidate(Message)
        case closeCandidate
        /// Make the upgrade candidate the session's WebSocket.
        case adoptCandidate
        /// Report the end to the application; nothing more is delivered.
        case ended(EngineEnding)
        /// The session is over: requests with its id are refused.
        case forget
    }

    enum Phase {
        case open
        /// Ended, but no poll has reported it yet.
        case closing
        case closed
    }

    /// A WebSocket beside the polls that may become the session's.
    struct Candidate {
        var deadline: UInt64
        /// Polls that were answered at once so that the client can finish its upgrade.
        var noopsLeft = 0
    }

    enum Heartbeat {
        /// Version 4: waiting until the next ping is due.
        case quiet(until: UInt64)
        /// Version 4 after a ping, and version 3 always: the client must be heard from by then.
        case expecting(until: UInt64)

        var deadline: UInt64 {
            switch self {
            case .quiet(let until), .expecting(let until): until
            }
        }
    }

    var phase = Phase.open
    let version: EngineVersion
    let times: EngineTimes
    /// Whether the client accepts binary packets; otherwise they are sent as Base64. Version 3 only.
    let takesBinary: Bool
    var transport: EngineTransport
    var candidate: Candidate?
    var isPollWaiting = false
    var isPostUnderWay = false
    /// The packets that may still be posted, each counted as a frame; nil without a limit.
    var postBudget: ReceiveBudget?
    /// Packets that wait for a poll.
    var queue: [EnginePacket] = []
    /// The bytes of these packets, as frames of a WebSocket: so they keep their place among all bytes during an upgrade.
    var queuedBytes = 0
    /// Bytes that polls have taken.
    var polledBytes: UInt64 = 0
    var heartbeat: Heartbeat
    var lastHeard: UInt64
    var closeDeadline = UInt64.max
    /// Bytes that may wait for a poll before the session is ended.
    var outputLimit: Int

    /// Begins a session with the request that opens it.
    init(
        _ version: EngineVersion, over transport: EngineTransport, takesBinary: Bool = false, times: EngineTimes,
        now: UInt64
    ) {
        self.version = version
        self.transport = transport
        self.takesBinary = takesBinary
        self.times = times
        lastHeard = now
        outputLimit = times.outputLimit
        postBudget = times.rates.map { ReceiveBudget($0) }
        heartbeat =
            version == .v4
            ? .quiet(until: now + times.pingInterval) : .expecting(until: now + times.pingInterval + times.pingTimeout)
    }

    /// Sends the open packet.
    mutating func open(id: String, _ settings: EngineSettings, _ actions: inout [Action]) {
        let upgrades = transport == .polling ? [EngineTransport.webSocket.rawValue] : []
        let json = OpenPacket(id: id, upgrades: upgrades, settings: settings).json
        send(EnginePacket(.open, Message(.text, json)), &actions)
    }

    // MARK: Packets

    /// A packet has arrived by the session's transport.
    mutating func received(_ packet: EnginePacket, now: UInt64, _ actions: inout [Action]) {
        guard phase == .open else { return }
        lastHeard = now
        switch packet.kind {
        case .message: actions.append(.deliver(packet.payload))
        case .ping:
            guard version == .v3 else { return end(.transportError, &actions) }
            heartbeat = .expecting(until: now + times.pingInterval + times.pingTimeout)
            // A client polls again only after it has its answer.
            actions.append(.heartbeat(.answered))
            send(EnginePacket(.pong, packet.payload), &actions)
            actions.append(.heartbeat(.sent))
        case .pong:
            guard version == .v4 else { return end(.transportError, &actions) }
            heartbeat = .quiet(until: now + times.pingInterval)
            actions.append(.heartbeat(.answered))
        case .close: end(.closedByClient, &actions)
        case .open, .upgrade, .noop: break
        }
    }

    /// Sends a message of the application.
    mutating func send(_ message: Message, _ actions: inout [Action]) {
        send(EnginePacket(.message, message), &actions)
    }

    mutating func send(_ packet: EnginePacket, _ actions: inout [Action]) {
        guard phase == .open else { return }
        guard transport == .polling else { return actions.append(.write(message(for: packet))) }
        queue.append(packet)
        queuedBytes += frameSize(of: packet)
        if isPollWaiting { return answerPoll(&actions) }
        if queuedBytes > outputLimit { end(.slowReader, &actions) }
    }

    // MARK: Ending

    /// The application ends the session.
    mutating func close(now: UInt64, _ actions: inout [Action]) {
        guard phase == .open else { return }
        guard transport == .polling, !isPollWaiting else { return end(.closedHere, &actions) }
        phase = .closing
        closeDeadline = now + times.closeTimeout
        dropCandidate(&actions)
        actions.append(.ended(.closedHere))
    }

    /// Ends the session at once; a waiting poll reports it.
    mutating func end(_ ending: EngineEnding, _ actions: inout [Action]) {
        guard phase != .closed else { return }
        let isTold = phase == .closing
        phase = .closed
        dropCandidate(&actions)
        if transport == .webSocket {
            if ending != .transportClosed { actions.append(.closeWebSocket) }
        } else if isPollWaiting {
            // A client that has closed only needs the end of its poll.
            queue.append(EnginePacket(ending == .closedByClient ? .noop : .close))
            answerPoll(&actions)
        }
        queue = []
        queuedBytes = 0
        if !isTold { actions.append(.ended(ending)) }
        actions.append(.forget)
    }
}
