internal import EventLoop
internal import Glibc

/// The part of a server on one loop: listeners, open connections and their shared state.
///
/// - Note: `@unchecked Sendable` because everything but the constants is used on its loop alone.
final class ServerLoop: @unchecked Sendable {
    let loop: EventLoop
    let configuration: ServerConfiguration
    let rules: ConnectionRules
    let handler: Server.Handler
    private let slots: ConnectionSlots
    private(set) var isDraining = false
    /// How long a connection that becomes idle stays open; nil before a drain.
    private(set) var drainIdle: Duration?

    private var listeners: [Listener] = []
    private var connections: [ObjectIdentifier: ServerConnection] = [:]
    private var drains: [UnsafeContinuation<Void, Never>] = []
    private var date = DateField()
    /// Requests that arrived in this turn.
    private var arrived: [(connection: ServerConnection, request: Request)] = []
    /// The requests that are being served; empty otherwise, and kept for its memory.
    private var batch: [(connection: ServerConnection, request: Request)] = []

    /// Connections that are searched for an idle one.
    private static let mostSearched = 64

    init(
        on loop: EventLoop, configuration: ServerConfiguration, slots: ConnectionSlots,
        handler: @escaping Server.Handler
    ) {
        self.loop = loop
        self.configuration = configuration
        self.slots = slots
        self.handler = handler
        rules = ConnectionRules(configuration)
    }

    /// Starts to accept on `listener`.
    func start(_ listener: Listener) {
        listeners.append(listener)
        listener.start()
    }

    /// Takes over an accepted connection. At the limit an idle connection is closed for it, or the new one is refused.
    func accept(_ descriptor: Int32, _ peer: SocketAddress) {
        let slot = slots.take()
        guard slot != .none else {
            configuration.refusedConnection(.limit)
            slots.release()
            close(descriptor)
            return
        }
        let socket = StreamSocket(descriptor: descriptor, peer: peer, on: loop)
        let connection = ServerConnection(socket: socket, server: self)
        let isRefused = slot == .refusal && !closeIdleConnection()
        if isRefused { configuration.refusedConnection(.limit) }
        connections[ObjectIdentifier(connection)] = connection
        connection.start(isRefused: isRefused)
    }

    /// Closes the connection that has been idle for longest, among the first few.
    private func closeIdleConnection() -> Bool {
        let idle = connections.values.prefix(Self.mostSearched).filter(\.isIdle)
        let oldest = idle.min { $0.machine.stateDeadline < $1.machine.stateDeadline }
        oldest?.socket.close()
        return oldest != nil
    }

    /// Removes a connection that has ended.
    func remove(_ connection: ServerConnection) {
        guard connections.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
        slots.release()
        finishDrainIfEmpty()
    }

    /// Removes a connection that another protocol takes over. It keeps its slot until its socket is closed.
    func handOver(_ connection: ServerConnection) {
        guard connections.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
        connection.socket.attachment = ConnectionSlots.Lease(of: slots)
        finishDrainIfEmpty()
    }

    // MARK: Serving

    /// Serves a request when the other sockets of this turn have been read: reading all, then serving all, keeps each
    /// step's code in the processor's caches.
    func serve(_ request: Request, on connection: ServerConnection) {
        arrived.append((connection, request))
        if arrived.count == 1 { loop.execute { [self] in serveArrived() } }
    }

    private func serveArrived() {
        // Requests that arrive meanwhile, such as pipelined ones, are served in the next turn.
        swap(&arrived, &batch)
        for (connection, request) in batch { connection.serve(request) }
        batch.removeAll(keepingCapacity: true)
    }

    /// Passes the `Date` line of this second to `body`.
    func withDate(_ body: (UnsafeRawBufferPointer) -> Void) {
        date.refresh(now: loop.now)
        date.line.withUnsafeBytes(body)
    }

    // MARK: Draining

    /// Stops accepting, closes connections that are idle after `idle`, and returns when the last connection has ended;
    /// connections that are open after `limit` are closed.
    func drain(within limit: Duration, idle: Duration) async {
        // Listeners are started by `execute`, which keeps the order: this call runs after theirs.
        await withUnsafeContinuation { continuation in loop.execute { continuation.resume() } }
        if limit > .zero, !listeners.isEmpty {
            for listener in listeners { listener.takeNoMore() }
            try? await loop.sleep(for: Listener.openingTime)
        }
        isDraining = true
        drainIdle = idle
        for listener in listeners { listener.stop() }
        listeners = []
        let idleEnd = loop.schedule(after: min(idle, limit)) { [self] in closeIdleConnections() }
        if idle == .zero { closeIdleConnections() }
        let deadline = loop.schedule(after: limit) { [self] in
            for connection in Array(connections.values) { connection.socket.close() }
        }
        if !connections.isEmpty {
            await withUnsafeContinuation { drains.append($0) }
        }
        deadline.cancel()
        idleEnd.cancel()
    }

    private func closeIdleConnections() {
        // One that became idle later has its own time.
        for connection in Array(connections.values) where connection.drainTimer == nil { connection.drain() }
    }

    private func finishDrainIfEmpty() {
        guard isDraining, connections.isEmpty else { return }
        for drain in drains { drain.resume() }
        drains = []
    }
}
