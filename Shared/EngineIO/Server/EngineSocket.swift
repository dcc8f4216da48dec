public import EventLoop
public import WebSocket

/// A session of Engine.IO: performs the actions of its `EngineMachine`, by polls and a WebSocket of its loop.
///
/// - Note: `@unchecked Sendable` because it is confined to its loop; call every method there.
public final class EngineSocket: @unchecked Sendable {
    // A shared packet reads only these, so they are declared first.
    private(set) var webSocket: WebSocketConnection? {
        didSet { connection = webSocket.map(ConnectionHint.init) }
    }
    private(set) var connection: ConnectionHint?
    var machine: EngineMachine
    /// Bytes from the beginning of the object that a shared packet reads; a test checks that they suffice.
    static let sharedSize = 64

    /// Encoded once, because quiet sessions send mostly pings.
    private static let ping = SharedFrame(EngineMachine.ping)

    /// The id by which the client names its session; it must stay secret.
    public let id: String
    public var loop: EventLoop { owner.loop }

    /// Whether a WebSocket to which the session upgrades may use permessage-deflate. It is negotiated for both directions at
    /// once, so it also allows the client to send compressed messages.
    public var mayCompress = true

    /// The largest message or body from the client, in bytes; at first that of the settings. Raise it for clients that are
    /// trusted with more.
    public var maximumPayload: Int {
        didSet { webSocket?.limitMessages(to: maximumPayload) }
    }

    let owner: EngineLoop
    private var webSocketBytes = WebSocketBytes()
    private var handler: (any EngineHandler)?
    private var candidate: WebSocketConnection?
    private var poll: PollTicket?
    private var timer: LoopTimer?

    init(id: String, _ machine: EngineMachine, on owner: EngineLoop) {
        self.id = id
        self.machine = machine
        self.owner = owner
        maximumPayload = owner.settings.maximumPayload
    }

    // MARK: For the application

    /// Sends a message.
    public func send(_ message: Message) { change { $0.send(message, &$1) } }

    /// Sends a message that was encoded for many.
    public func send(_ shared: SharedPacket) {
        if let webSocket, machine.phase == .open {
            webSocket.send(shared.frame)
        } else {
            change { $0.send(shared.packet, &$1) }
        }
    }

    /// Ends the session; messages sent before are still delivered.
    public func close() { change { [now = loop.now] in $0.close(now: now, &$1) } }

    /// Ends the session of a client that reads too slowly; queued messages that have not begun to leave are dropped.
    public func cutOff() { if let webSocket { webSocket.cutOff() } else { change { $0.end(.slowReader, &$1) } } }

    /// Bytes that are queued and not sent.
    public var queuedBytes: Int { webSocket?.queuedBytes ?? machine.queuedBytes }

    /// Bytes that have left since the session began: to the kernel, or with the answer to a poll. The next message
    /// begins at the offset `sentBytes + queuedBytes`.
    public var sentBytes: UInt64 { machine.polledBytes + webSocketBytes.sent(by: webSocket) }

    /// Sends queued bytes now, as many as the kernel takes. `drained` follows if any are left.
    public func flush() { webSocket?.flush() }

    // MARK: From the server

    /// Opens the session: sends the open packet and makes the application's handler.
    func open(over webSocket: WebSocketConnection?, _ settings: EngineSettings, _ open: EngineServer.Opening) {
        self.webSocket = webSocket
        change { [id] in $0.open(id: id, settings, &$1) }
        let handler = open(self)
        if isOpen { self.handler = handler } else { handler.ended(.closedHere, on: self) }
    }

    func poll(_ ticket: PollTicket) throws(EngineError) {
        let now = loop.now
        var refusal: EngineError?
        let earlier = poll
        // A second poll while the first waits ends the session; the first poll's answer reports it.
        if earlier == nil { poll = ticket }
        change { machine, actions in
            do throws(EngineError) { try machine.poll(now: now, &actions) } catch { refusal = error }
        }
        guard let refusal else { return }
        if earlier == nil { poll = nil }
        throw refusal
    }

    func pollLost(_ ticket: PollTicket) {
        guard poll === ticket else { return }
        poll = nil
        change { $0.pollLost(&$1) }
    }

    func postBegan() throws(EngineError) {
        let now = loop.now
        try tryToChange { machine, actions throws(EngineError) in try machine.postBegan(now: now, &actions) }
    }

    func posted(_ payload: PollPayload?) throws(EngineError) {
        let now = loop.now
        try tryToChange { machine, actions throws(EngineError) in try machine.posted(payload, now: now, &actions) }
    }

    func transportLost() { change { $0.end(.transportError, &$1) } }

    func postLost() { change { $0.postLost(&$1) } }

    /// Reserves the slot of the one WebSocket beside the polls.
    func reserveCandidate() throws(EngineError) -> CandidateSlot {
        let now = loop.now
        var isTaken = false
        try tryToChange { machine, actions throws(EngineError) in
            isTaken = try machine.candidateOpened(now: now, &actions)
        }
        return CandidateSlot(isReserved: isTaken, mayCompress: mayCompress)
    }

    /// The WebSocket has arrived for its slot; false if the slot was lost meanwhile.
    func setCandidate(_ connection: WebSocketConnection) -> Bool {
        guard machine.candidate != nil, candidate == nil else { return false }
        candidate = connection
        return true
    }

    // MARK: Performing

    private func tryToChange(
        _ event: (inout EngineMachine, inout [EngineMachine.Action]) throws(EngineError) -> Void
    ) throws(EngineError) {
        var refusal: EngineError?
        change { machine, actions in
            do throws(EngineError) { try event(&machine, &actions) } catch { refusal = error }
        }
        if let refusal { throw refusal }
    }

    private func change(_ event: (inout EngineMachine, inout [EngineMachine.Action]) -> Void) {
        // Performing an action may trigger another event, which gets memory of its own.
        var actions = owner.takeActions()
        event(&machine, &actions)
        for action in actions { perform(action) }
        owner.giveBack(&actions)
        armTimer()
    }

    private func perform(_ action: EngineMachine.Action) {
        switch action {
        case .deliver(let message): handler?.received(message, on: self)
        case .heartbeat(let sign): handler?.heartbeat(sign, on: self)
        case .answerPoll(let payload):
            let ticket = poll
            poll = nil
            ticket?.answer(.success(payload))
            tellDrained()
        case .write(EngineMachine.ping): webSocket?.send(Self.ping)
        case .write(let message): webSocket?.send(message)
        case .writeCounted(let message): webSocket?.send(message, compressed: false)
        case .closeWebSocket:
            guard let webSocket else { return }
            owner.closes(self)
            webSocket.close()
        case .writeToCandidate(let message): candidate?.send(message)
        case .closeCandidate:
            candidate?.close()
            candidate = nil
        case .adoptCandidate:
            webSocket = candidate
            if let candidate { webSocketBytes.begin(with: candidate) }
            webSocket?.limitMessages(to: maximumPayload)
            webSocket?.limitOutput(to: machine.outputLimit)
            candidate = nil
            tellDrained()
        case .ended(let ending):
            let handler = self.handler
            self.handler = nil
            handler?.ended(ending, on: self)
        case .forget:
            timer?.cancel()
            timer = nil
            owner.forget(self)
        }
    }

    /// The application may send from within `drained`, so the present event must be complete.
    private func tellDrained() { loop.execute { [self] in handler?.drained(self) } }

    private func armTimer() {
        guard machine.deadline != .max else { return }
        let deadline = owner.times.meeting(for: machine.deadline)
        if timer == nil {
            timer = loop.schedule(after: owner.settings.pingInterval) { [unowned self] in
                change { [now = loop.now] in $0.timePassed(now: now, &$1) }
            }
        }
        timer?.restart(at: deadline)
    }
}

extension EngineSocket: WebSocketHandler {
    public func received(_ message: Message, on connection: WebSocketConnection) {
        let now = loop.now
        if connection === webSocket {
            change { $0.received(message, now: now, &$1) }
        } else if connection === candidate {
            change { $0.candidateReceived(message, now: now, &$1) }
        }
    }

    public func congested(_ connection: WebSocketConnection) {
        if connection === webSocket { handler?.congested(self) }
    }

    public func drained(_ connection: WebSocketConnection) {
        if connection === webSocket { handler?.drained(self) }
    }

    public func ended(_ ending: Ending, on connection: WebSocketConnection) {
        if connection === webSocket {
            switch ending.code {
            case .tryAgainLater where !ending.isClean: change { $0.end(.slowReader, &$1) }
            case .policyViolation where !ending.isClean: change { $0.end(.overRate, &$1) }
            default: change { $0.webSocketClosed(&$1) }
            }
            webSocketBytes.end(with: connection)
            webSocket = nil
            owner.closed(self)
        } else if connection === candidate {
            candidate = nil
            change { machine, _ in machine.candidateClosed() }
        }
    }
}
