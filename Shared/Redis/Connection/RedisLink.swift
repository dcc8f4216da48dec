internal import EventLoop
internal import Wire

/// A connection that is made again whenever it is lost, after growing waits.
///
/// - Note: `@unchecked Sendable` because it is confined to its loop: `start` and `close` assert it, all else comes from
///   the connection, from timers and from callers on the loop.
final class RedisLink: @unchecked Sendable {
    let loop: EventLoop
    let configuration: RedisConfiguration
    private let pool: BlockingPool
    private var backoff: Backoff
    private var rest: LoopTimer?
    private var generation = 0
    private(set) var connection: RedisConnection?
    /// Monotonic nanoseconds.
    private var connectedAt: UInt64 = 0
    private var observers: [Observer] = []

    /// Sees each state and says whether it wants to see more.
    typealias Observer = (RedisState) -> Interest

    enum Interest { case goOn, done }

    private(set) var state = RedisState.connecting {
        didSet { tellObservers() }
    }

    init(_ configuration: RedisConfiguration, on loop: EventLoop, resolvingOn pool: BlockingPool) {
        self.configuration = configuration
        self.loop = loop
        self.pool = pool
        backoff = Backoff(first: configuration.backoff.first, limit: configuration.backoff.limit)
    }

    /// Begins to connect.
    func start() {
        loop.preconditionInLoop()
        attempt()
    }

    /// Closes for good; what waits fails.
    func close() {
        loop.preconditionInLoop()
        guard state != .closed else { return }
        rest?.cancel()
        let connection = self.connection
        self.connection = nil
        state = .closed
        connection?.close()
    }

    /// Calls `observer` at once and on each change, on the loop, until it is done.
    func observe(_ observer: @escaping Observer) {
        if observer(state) == .goOn { observers.append(observer) }
    }

    private func tellObservers() {
        let told = observers
        observers = []
        // One that is added from within comes first; order among observers means nothing.
        observers += told.filter { $0(state) == .goOn }
    }

    func send(_ command: RedisCommand, within limit: Duration?, _ waiter: RedisWaiter) {
        if let connection {
            connection.send(command, within: limit ?? configuration.commandTimeout, waiter)
        } else {
            waiter.take(.failure(state == .closed ? .closed : .notConnected))
        }
    }

    private func attempt() {
        Task(executorPreference: loop) { [self] in
            do {
                connected(try await RedisConnection.open(configuration, on: loop, resolvingOn: pool))
            } catch {
                lost(error)
            }
        }
    }

    private func connected(_ connection: RedisConnection) {
        guard state != .closed else { return connection.close() }
        guard !connection.isClosed else { return lost(RedisError.connectionLost("ended by the server")) }
        connection.onLoss = { [weak self] reason in self?.lost(reason) }
        generation += 1
        self.connection = connection
        connectedAt = loop.now
        state = .connected(generation: generation)
    }

    private func lost(_ reason: any Error) {
        if connection != nil { backoff.reset(after: .nanoseconds(Int64(loop.now - connectedAt))) }
        connection = nil
        guard state != .closed else { return }
        rest = loop.schedule(after: backoff.next()) { [weak self] in self?.attempt() }
        state = .lost(reason as? RedisError ?? .connectFailed("\(reason)"))
    }
}
