public import EventLoop
internal import Wire

/// Reads a stream as a member of a consumer group, on its own connection, and calls a handler for each entry.
///
/// Delivery is at least once: an entry is acknowledged after its handler has returned. If the handler throws, the
/// process dies or the connection is lost before that, the entry is delivered again, to this or another consumer of the
/// group. Handlers must be idempotent.
///
/// - Note: `@unchecked Sendable` because all mutable state is touched only on `loop`, where `start` and `stop` send
///   their work and where the task runs.
public final class RedisStreamConsumer: @unchecked Sendable {
    /// Handles one entry, on the consumer's loop.
    public typealias Handler = @Sendable (RedisStreamEntry) async throws -> Void

    let consumption: RedisConsumption
    private let configuration: RedisConfiguration
    let loop: EventLoop
    private let pool: BlockingPool
    private let handler: Handler
    let observer: @Sendable (RedisConsumption.Event) -> Void

    var steps: ConsumerSteps
    private var isRunning = false
    private var isStopping = false
    private var backoffWait: RedisWait?
    /// The node that a refusal has named.
    private var redirection: (node: ClusterNode, asks: Bool)?
    private var redirections = 0
    private var lastNode: ClusterNode?
    private var stops: [UnsafeContinuation<Void, Never>] = []

    /// Makes a consumer that does nothing until it is started.
    public init(
        _ consumption: RedisConsumption, of configuration: RedisConfiguration, on loop: EventLoop,
        resolvingOn pool: BlockingPool, observer: @escaping @Sendable (RedisConsumption.Event) -> Void = { _ in },
        handler: @escaping Handler
    ) {
        self.consumption = consumption
        self.configuration = configuration
        self.loop = loop
        self.pool = pool
        self.observer = observer
        self.handler = handler
        steps = ConsumerSteps(claimInterval: consumption.idleLimit.wholeNanoseconds / 2)
    }

    /// Starts reading, and continues through lost connections until `stop`.
    public func start() {
        loop.execute { [self] in
            guard !isRunning else { return }
            isRunning = true
            isStopping = false
            Task(executorPreference: loop) { [self] in await run() }
        }
    }

    /// Starts no more entries, and returns once the entries in progress are handled and acknowledged. Entries that were
    /// read and not started are delivered again: at once to a consumer of this name, after `idleLimit` to others.
    public func stop() async {
        await withUnsafeContinuation { continuation in
            loop.execute { [self] in
                guard isRunning else { return continuation.resume() }
                isStopping = true
                stops.append(continuation)
                backoffWait?.end(.success(()))
            }
        }
    }

    private func run() async {
        var backoff = Backoff(first: configuration.backoff.first, limit: configuration.backoff.limit)
        while !isStopping {
            do {
                let connection = try await open()
                defer { connection.close() }
                steps.connected()
                while !isStopping {
                    let step = steps.next(now: loop.now)
                    try await perform(step, over: connection)
                    redirections = 0
                    if step == .readNew { backoff.reset() }
                }
                try await acknowledgeHandled(over: connection)
            } catch {
                if follows(error) { continue }
                observer(.interrupted(error))
                await wait(for: backoff.next())
            }
        }
        isRunning = false
        let stopped = stops
        stops = []
        for continuation in stopped { continuation.resume() }
    }

    /// Connects to the server, or to the node of the cluster that has the stream.
    private func open() async throws(RedisError) -> RedisConnection {
        guard let cluster = configuration.cluster else {
            return try await RedisConnection.open(configuration, on: loop, resolvingOn: pool)
        }
        let target = redirection
        redirection = nil
        let slot = HashSlot.of(consumption.stream.name.utf8)
        guard let node = target?.node ?? cluster.map?.owners(of: slot)?.master else { throw .notConnected }
        lastNode = node
        let connection = try await RedisConnection.open(
            cluster.configuration(of: node), on: loop, resolvingOn: pool)
        connection.asks = target?.asks == true
        return connection
    }

    /// Whether another node has the stream, so that the consumer continues there at once.
    private func follows(_ error: RedisError) -> Bool {
        guard let cluster = configuration.cluster, let lastNode else { return false }
        guard case .server(let error) = error, let refusal = ClusterRefusal(error, from: lastNode) else {
            cluster.refreshSoon()
            return false
        }
        if refusal.asksForMap { cluster.refreshSoon() }
        switch refusal {
        case .moved(_, let node): redirection = (node, asks: false)
        case .ask(_, let node): redirection = (node, asks: true)
        case .tryAgain, .clusterDown, .loading: return false
        }
        redirections += 1
        if redirections > ClusterRouter.mostRedirections { redirection = nil }
        cluster.report(.redirected(refusal.name))
        return redirection != nil
    }

    private func acknowledgeHandled(over connection: RedisConnection) async throws(RedisError) {
        let step = steps.next(now: loop.now)
        if case .acknowledge = step { try await perform(step, over: connection) }
    }

    private func wait(for time: Duration) async {
        _ = await withUnsafeContinuation { (continuation: RedisWait.Continuation) in
            guard !isStopping else { return continuation.resume(returning: .success(())) }
            backoffWait = RedisWait(on: loop, within: time, continuation) { .timedOut }
        }
        backoffWait = nil
    }

    // MARK: Handling

    /// Handles entries, `concurrency` at a time, until all are done, the consumer is stopped, or half of `idleLimit`
    /// has passed: then the rest must be read again before other consumers claim it.
    func handle(_ entries: [RedisStreamEntry]) async {
        let end = loop.now &+ consumption.idleLimit.wholeNanoseconds / 2
        await withTaskGroup(of: Void.self) { group in
            var running = 0
            for (index, entry) in entries.enumerated() {
                if running == consumption.concurrency {
                    await group.next()
                    running -= 1
                }
                if isStopping || loop.now >= end {
                    return steps.interrupted(after: index > 0 ? entries[index - 1].id : .zero)
                }
                running += 1
                group.addTask { [self] in await handle(entry) }
            }
        }
    }

    private func handle(_ entry: RedisStreamEntry) async {
        do {
            try await handler(entry)
            steps.handled(entry.id)
        } catch {
            observer(.failed(entry.id, error))
        }
    }
}
