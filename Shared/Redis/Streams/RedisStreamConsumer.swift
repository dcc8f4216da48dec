public import EventLoop
internal import Wire

/// Reads a stream as a member of a consumer group, on a connection of its own, and hands each entry to a handler.
///
/// At least once: an entry is acknowledged after its handler has returned, and comes again when the handler
/// throws, the process dies or the connection is lost in between, here or at another consumer of the group.
/// Handlers must bear that.
///
/// - Note: `@unchecked Sendable` because all that changes is touched on `loop` alone, where `start` and `stop` send
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
    private var rest: RedisWait?
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

    /// Begins to read, and goes on through lost connections until it is stopped.
    public func start() {
        loop.execute { [self] in
            guard !isRunning else { return }
            isRunning = true
            isStopping = false
            Task(executorPreference: loop) { [self] in await run() }
        }
    }

    /// Begins with no more entries and returns when those under way are handled and acknowledged. What was read and not
    /// begun with comes again: at once to a consumer of this name, after `idleLimit` to others.
    public func stop() async {
        await withUnsafeContinuation { continuation in
            loop.execute { [self] in
                guard isRunning else { return continuation.resume() }
                isStopping = true
                stops.append(continuation)
                rest?.end(.success(()))
            }
        }
    }

    private func run() async {
        var backoff = Backoff(first: configuration.backoff.first, limit: configuration.backoff.limit)
        while !isStopping {
            do {
                let connection = try await RedisConnection.open(configuration, on: loop, resolvingOn: pool)
                defer { connection.close() }
                steps.connected()
                while !isStopping {
                    let step = steps.next(now: loop.now)
                    try await take(step, over: connection)
                    if step == .readNew { backoff.reset() }
                }
                try await acknowledgeRest(over: connection)
            } catch {
                observer(.interrupted(error))
                await rest(for: backoff.next())
            }
        }
        isRunning = false
        let stopped = stops
        stops = []
        for continuation in stopped { continuation.resume() }
    }

    private func acknowledgeRest(over connection: RedisConnection) async throws(RedisError) {
        let step = steps.next(now: loop.now)
        if case .acknowledge = step { try await take(step, over: connection) }
    }

    private func rest(for time: Duration) async {
        _ = await withUnsafeContinuation { (continuation: RedisWait.Continuation) in
            guard !isStopping else { return continuation.resume(returning: .success(())) }
            rest = RedisWait(on: loop, within: time, continuation) { .timedOut }
        }
        rest = nil
    }

    // MARK: Handling

    /// Handles entries, `concurrency` at a time, until all are done, it is stopped or half of `idleLimit` has passed:
    /// what is left then must be read again before others take it over.
    func handle(_ entries: [RedisStreamEntry]) async {
        let end = loop.now &+ consumption.idleLimit.wholeNanoseconds / 2
        await withTaskGroup(of: Void.self) { group in
            var busy = 0
            for (place, entry) in entries.enumerated() {
                if busy == consumption.concurrency {
                    await group.next()
                    busy -= 1
                }
                if isStopping || loop.now >= end {
                    return steps.leftRest(after: place > 0 ? entries[place - 1].id : .zero)
                }
                busy += 1
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
