internal import EventLoop
internal import WebSocket

/// The sessions of one loop.
///
/// - Note: `@unchecked Sendable` because everything but the constants is used on its loop alone.
final class EngineLoop: @unchecked Sendable {
    let loop: EventLoop
    let settings: EngineSettings
    let times: EngineTimes
    let webSocketOptions: WebSocketOptions
    let pool: CompressionPool
    private let node: String
    private var sessions: [String: EngineSocket] = [:]
    /// The ids of ended sessions with a WebSocket that still sends queued bytes and closes.
    private var closing: Set<String> = []
    private var isDraining = false
    /// Memory for the actions of one event; empty while an event uses it.
    private var actions: [EngineMachine.Action] = []
    /// Tasks that wait for the end of the last session and its WebSocket.
    private var drains: [CheckedContinuation<Void, Never>] = []

    init(on loop: EventLoop, node: String, _ settings: EngineSettings) {
        self.loop = loop
        self.node = node
        self.settings = settings
        times = EngineTimes(settings)
        pool = CompressionPool(policy: settings.deflate ?? DeflatePolicy())
        var options = WebSocketOptions()
        options.limits = SizeLimits(message: settings.maximumPayload)
        options.outputLimit = settings.outputLimit
        options.rates = settings.rates
        webSocketOptions = options
    }

    /// Takes the memory for an event's actions; an array of an earlier event if it is free.
    func takeActions() -> [EngineMachine.Action] {
        var taken: [EngineMachine.Action] = []
        swap(&taken, &actions)
        return taken
    }

    /// Returns the memory for the next event.
    func giveBack(_ taken: inout [EngineMachine.Action]) {
        guard taken.capacity <= Self.mostActions else { return }
        taken.removeAll(keepingCapacity: true)
        swap(&taken, &actions)
    }

    private static let mostActions = 64

    private var isFull: Bool { isDraining || sessions.count >= settings.sessionsPerLoop }

    /// Refuses a handshake if no session may be opened now.
    func requireRoom() throws(EngineError) {
        guard !isFull else { throw .unavailable("No room for another session") }
    }

    /// Opens a session. Its client gets the open packet with the first poll, or at once on a WebSocket.
    func makeSession(
        _ version: EngineVersion, over webSocket: WebSocketConnection?, takesBinary: Bool,
        _ acceptance: EngineAcceptance
    ) -> EngineSocket {
        let machine = EngineMachine(
            version, over: webSocket == nil ? .polling : .webSocket, takesBinary: takesBinary, times: times,
            now: loop.now)
        let socket = EngineSocket(id: SessionID.make(node: node, loop: loop.index).text, machine, on: self)
        socket.mayCompress = acceptance.mayCompress
        sessions[socket.id] = socket
        socket.open(over: webSocket, settings, acceptance.open)
        return socket
    }

    func session(_ id: String) throws(EngineError) -> EngineSocket {
        guard let socket = sessions[id] else { throw .unknownSession }
        return socket
    }

    /// The client of a poll has gone before the poll arrived on this loop.
    func lost(_ id: String) { sessions[id]?.transportLost() }

    func forget(_ socket: EngineSocket) {
        sessions[socket.id] = nil
        endDrainsIfEmpty()
    }

    /// The WebSocket of a session was told to close.
    func closes(_ socket: EngineSocket) { closing.insert(socket.id) }

    /// The WebSocket of a session has ended: the client has read everything, or has gone.
    func closed(_ socket: EngineSocket) {
        if closing.remove(socket.id) != nil { endDrainsIfEmpty() }
    }

    /// Ends all sessions, spread evenly over a time, so that their clients do not all reconnect at once.
    private func closeAll(over duration: Duration) {
        let open = Array(sessions.values)
        for (number, socket) in open.enumerated() {
            loop.schedule(after: duration * number / max(1, open.count)) { socket.close() }
        }
    }

    /// Refuses new sessions, ends all over a time, and returns when their clients have taken everything or a grace
    /// period is over.
    func drain(over duration: Duration, grace: Duration) async {
        isDraining = true
        closeAll(over: duration)
        let limit = loop.schedule(after: duration + grace) { [weak self] in self?.endDrains() }
        await withCheckedContinuation { drain in
            drains.append(drain)
            endDrainsIfEmpty()
        }
        limit.cancel()
    }

    private func endDrainsIfEmpty() { if sessions.isEmpty && closing.isEmpty { endDrains() } }

    private func endDrains() {
        let ended = drains
        drains = []
        for drain in ended { drain.resume() }
    }
}
