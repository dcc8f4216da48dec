internal import EventLoop
internal import Wire

/// A connection that is opened again whenever it is lost, with back-off.
///
/// - Note: `@unchecked Sendable` because it is confined to its loop: `start` and `close` check that, and all other
///   calls come from the connection, from timers and from callers on the loop.
final class RedisLink: @unchecked Sendable, RedisStateSource {
    let loop: EventLoop
    let configuration: RedisConfiguration
    private let pool: BlockingPool
    /// Chooses the server of each attempt to connect; nil for that of the configuration.
    private let chooseServer: (() -> RedisConfiguration.Server)?
    private var backoff: Backoff
    private var retryTimer: LoopTimer?
    private var generation = 0
    private(set) var connection: RedisConnection?
    /// The time at which the connection was opened, in monotonic nanoseconds.
    private var connectedAt: UInt64 = 0
    private var observers: [Observer] = []
    private(set) var history = ServerHistory()

    /// Receives each state, and returns whether it stays registered.
    typealias Observer = (RedisState) -> ObserverResult

    enum ObserverResult { case keep, remove }

    private(set) var state = RedisState.connecting {
        didSet { notifyObservers() }
    }

    init(
        _ configuration: RedisConfiguration, on loop: EventLoop, resolvingOn pool: BlockingPool,
        choosingServer chooseServer: (() -> RedisConfiguration.Server)? = nil
    ) {
        self.configuration = configuration
        self.chooseServer = chooseServer
        self.loop = loop
        self.pool = pool
        backoff = Backoff(first: configuration.backoff.first, limit: configuration.backoff.limit)
    }

    /// Starts connecting.
    func start() {
        loop.preconditionInLoop()
        attempt()
    }

    /// Closes for good; waiting commands fail.
    func close() {
        loop.preconditionInLoop()
        guard state != .closed else { return }
        retryTimer?.cancel()
        let connection = self.connection
        self.connection = nil
        state = .closed
        connection?.close()
    }

    /// Calls `observer` at once and on each change, on the loop, until it is done.
    func observe(_ observer: @escaping Observer) {
        if observer(state) == .keep { observers.append(observer) }
    }

    private func notifyObservers() {
        let notified = observers
        observers = []
        // Observers that were added during the calls come first; the order of observers does not matter.
        observers += notified.filter { $0(state) == .keep }
    }

    func timeSinceReturn(of _: RedisKey) -> Duration? { history.timeSinceReturn(at: loop.now) }

    func observeReturns(_ observer: @escaping () -> Void) {
        observe { [unowned self] state in
            if state.isConnected, history.timeSinceReturn(at: loop.now) != nil { observer() }
            return .keep
        }
    }

    func send(_ command: RedisCommand, within limit: Duration?, _ waiter: RedisWaiter) {
        if let connection {
            connection.send(command, within: limit ?? configuration.commandTimeout, waiter)
        } else {
            waiter.complete(.failure(state == .closed ? .closed : .notConnected))
        }
    }

    private func attempt() {
        var configuration = configuration
        if let server = chooseServer?() { configuration.server = server }
        Task(executorPreference: loop) { [self, configuration] in
            do {
                connected(try await RedisConnection.open(configuration, on: loop, resolvingOn: pool))
            } catch {
                lost(error)
            }
        }
    }

    private func connected(_ connection: RedisConnection) {
        guard state != .closed else { return connection.close() }
        guard !connection.isClosed else { return lost(RedisError.connectionLost("closed by the server")) }
        connection.onLoss = { [weak self] reason in self?.lost(reason) }
        generation += 1
        self.connection = connection
        connectedAt = loop.now
        _ = history.serves(at: loop.now)
        state = .connected(generation: generation)
    }

    private func lost(_ reason: any Error) {
        if connection != nil { backoff.reset(after: .nanoseconds(Int64(loop.now - connectedAt))) }
        connection = nil
        guard state != .closed else { return }
        history.lost()
        retryTimer = loop.schedule(after: backoff.next()) { [weak self] in self?.attempt() }
        state = .lost(reason as? RedisError ?? .connectFailed("\(reason)"))
    }
}
