internal import EventLoop
internal import Glibc

/// What a server has on one loop: the listener, the open connections and what they share.
///
/// - Note: `@unchecked Sendable` because everything but the constants is touched on its loop alone.
final class ServerLoop: @unchecked Sendable {
    let loop: EventLoop
    let configuration: ServerConfiguration
    let handler: Server.Handler
    let times: ServerTimes
    let places: ConnectionPlaces
    private(set) var isDraining = false

    private var listeners: [Listener] = []
    private var connections: [ObjectIdentifier: ServerConnection] = [:]
    private var whenEmpty: [UnsafeContinuation<Void, Never>] = []
    @exclusivity(unchecked) private var date = DateField()
    @exclusivity(unchecked) private var waiting: [ServerConnection] = []
    @exclusivity(unchecked) private var next = 0
    @exclusivity(unchecked) private var isServing = false
    /// What may still be served before timers, jobs and mail get their turn.
    @exclusivity(unchecked) var requestsLeft = 0
    private static let requestsPerRound = 128
    /// The turn of the loop in which rows are being served, by its time.
    @exclusivity(unchecked) private var turn: UInt64 = 0
    /// Pipelined requests of one connection that are served before another one has its turn.
    static let requestsInARow = 16
    private static let rowsPerTurn = 64
    private static let mostLookedAt = 64
    @exclusivity(unchecked) private var spareHeads: [HeadStorage] = []
    private static let mostSpareHeads = 64

    init(
        on loop: EventLoop, configuration: ServerConfiguration, places: ConnectionPlaces,
        handler: @escaping Server.Handler
    ) {
        self.loop = loop
        self.configuration = configuration
        self.places = places
        self.handler = handler
        times = ServerTimes(configuration)
    }

    /// Accepts on `listener` from now on.
    func start(_ listener: Listener) {
        listeners.append(listener)
        listener.start()
    }

    /// Takes a connection over. Where there is no place for one more, an idle one gives up its own, or the new one is
    /// refused.
    func accept(_ descriptor: Int32, _ peer: SocketAddress) {
        let place = places.take()
        guard place != .none else {
            places.give()
            close(descriptor)
            return
        }
        let socket = StreamSocket(descriptor: descriptor, peer: peer, on: loop)
        let connection = ServerConnection(socket: socket, server: self)
        let isRefused = place == .refusal && !closeIdleConnection()
        connections[ObjectIdentifier(connection)] = connection
        connection.start(isRefused: isRefused)
    }

    /// Looks at some connections, and closes the one among them that has been idle for longest.
    private func closeIdleConnection() -> Bool {
        let idle = connections.values.prefix(Self.mostLookedAt).filter(\.isIdle)
        guard let oldest = idle.min(by: { $0.phaseDeadline < $1.phaseDeadline }) else { return false }
        oldest.socket.close()
        return true
    }

    /// Forgets a connection that has ended or been handed over.
    func remove(_ connection: ServerConnection) {
        guard connections.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
        places.give()
        finishDrainIfEmpty()
    }

    // MARK: Serving

    /// Serves what `connection` has taken, when the sockets of this turn have been read.
    func serve(_ connection: ServerConnection) {
        waiting.append(connection)
        guard !isServing else { return }
        isServing = true
        loop.execute { [self] in serveWaiting() }
    }

    /// Whether this turn may serve another row before it looks at the other sockets.
    var hasTimeForRow: Bool {
        if turn != loop.now {
            turn = loop.now
            requestsLeft = Self.rowsPerTurn * Self.requestsInARow
        }
        return requestsLeft > 0
    }

    /// Serves one connection after the other.
    private func serveWaiting() {
        let end = waiting.count
        requestsLeft = Self.requestsPerRound
        while next < end && requestsLeft > 0 {
            let connection = waiting[next]
            next += 1
            connection.serveRow()
        }
        waiting.removeFirst(next)
        next = 0
        isServing = !waiting.isEmpty
        if isServing { loop.execute { [self] in serveWaiting() } }
    }

    /// Lets `body` look at the `Date` line of this second.
    func withDate(_ body: (UnsafeRawBufferPointer) -> Void) {
        date.refresh(now: loop.now)
        date.line.withUnsafeBytes(body)
    }

    /// Memory for a head, from an earlier request where there is any.
    func takeStorage() -> HeadStorage { spareHeads.popLast() ?? HeadStorage() }

    /// Takes a head's memory back for a later request, where nobody has kept this one.
    func giveBack(_ request: consuming Request) {
        var storage = request.storage
        _ = consume request
        guard spareHeads.count < Self.mostSpareHeads, storage.isSmall, isKnownUniquelyReferenced(&storage) else {
            return
        }
        storage.release()
        spareHeads.append(storage)
    }

    // MARK: Draining

    /// Stops to accept, closes what is idle, and returns when the last connection has ended;
    /// what is open after `limit` is closed.
    func drain(within limit: Duration) async {
        // Listeners come by mail: those that were sent before are there behind a letter of our own.
        await withUnsafeContinuation { continuation in loop.execute { continuation.resume() } }
        isDraining = true
        for listener in listeners { listener.stop() }
        listeners = []
        for connection in Array(connections.values) { connection.drain() }
        let deadline = loop.schedule(after: limit) { [self] in
            for connection in Array(connections.values) { connection.socket.close() }
        }
        if !connections.isEmpty {
            await withUnsafeContinuation { whenEmpty.append($0) }
        }
        deadline.cancel()
    }

    private func finishDrainIfEmpty() {
        guard isDraining, connections.isEmpty else { return }
        for drain in whenEmpty { drain.resume() }
        whenEmpty = []
    }
}

/// A configuration's durations in the loop's nanoseconds.
struct ServerTimes {
    let head, idle, bodyGrace, write, linger: UInt64

    init(_ configuration: ServerConfiguration) {
        head = configuration.headTimeout.wholeNanoseconds
        idle = configuration.idleTimeout.wholeNanoseconds
        bodyGrace = configuration.bodyGrace.wholeNanoseconds
        write = configuration.writeTimeout.wholeNanoseconds
        linger = configuration.lingerTimeout.wholeNanoseconds
    }
}
