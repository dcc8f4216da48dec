public import EventLoop

/// The Redis client. Each loop has one connection, on which the commands of all its tasks are pipelined, and in a cluster
/// one to each master. Call it on a loop.
///
/// Without a connection, commands fail at once with `notConnected`: Redis is never the record, so every caller can
/// continue without it. Every command has an outcome within its time-out.
public final class Redis: Sendable {
    let configuration: RedisConfiguration
    let group: EventLoopGroup
    let pool: BlockingPool
    private let route: Route

    private enum Route {
        case single(LoopLocal<RedisLink>)
        case cluster(LoopLocal<ClusterLinks>)
    }

    /// Starts connecting on each loop of `group`; host names are resolved on `pool`.
    public init(_ configuration: RedisConfiguration, on group: EventLoopGroup, resolvingOn pool: BlockingPool) {
        self.configuration = configuration
        self.group = group
        self.pool = pool
        if let cluster = configuration.cluster {
            let links = LoopLocal(group) { ClusterLinks(cluster, on: $0, resolvingOn: pool) }
            route = .cluster(links)
            links.forEach { $0.start() }
        } else {
            precondition(configuration.seeds.isEmpty, "a client of a cluster needs its map: call joinCluster before")
            let links = LoopLocal(group) { RedisLink(configuration, on: $0, resolvingOn: pool) }
            route = .single(links)
            links.forEach { $0.start() }
        }
    }

    /// Whether keys are on several nodes: then the keys of one command need the same part in braces.
    public var isCluster: Bool { configuration.cluster != nil }

    @inline(__always)
    private func send(_ command: RedisCommand, within limit: Duration?, _ waiter: RedisWaiter) {
        switch route {
        case .single(let links): links.current.send(command, within: limit, waiter)
        case .cluster(let links): links.current.send(command, within: limit, waiter)
        }
    }

    private var source: any RedisStateSource {
        switch route {
        case .single(let links): links.current
        case .cluster(let links): links.current
        }
    }

    /// The state of the loop's connection; in a cluster it is connected while each slot can be used.
    public var state: RedisState { source.state }

    /// Calls `observer` on every loop, at once and whenever that loop's connection comes up or is lost.
    public func observe(_ observer: @escaping @Sendable (RedisState) -> Void) {
        let notify: @Sendable (RedisState) -> RedisLink.ObserverResult = { state in
            observer(state)
            return .keep
        }
        switch route {
        case .single(let links): links.forEach { $0.observe(notify) }
        case .cluster(let links): links.forEach { $0.observe(notify) }
        }
    }

    /// Returns as soon as this loop's connection is up.
    ///
    /// - Throws: after `limit`, the reason why it is not.
    public func connected(within limit: Duration) async throws(RedisError) {
        try await source.connected(within: limit)
    }

    /// The time since the server of a key came back to this loop, or took another one's place; nil if neither has happened.
    ///
    /// Until all processes have written their data again, some of it may be missing there.
    public func timeSinceReturn(of key: RedisKey) -> Duration? { source.timeSinceReturn(of: key) }

    /// Calls `observer` on every loop after each return of a server of that loop, as soon as the server executes commands: data that
    /// only this process has is written again then.
    public func observeReturns(_ observer: @escaping @Sendable () -> Void) {
        switch route {
        case .single(let links): links.forEach { $0.observeReturns(observer) }
        case .cluster(let links): links.forEach { $0.observeReturns(observer) }
        }
    }

    /// Closes all connections for good; waiting commands fail with `closed`.
    public func close() {
        switch route {
        case .single(let links): links.forEach { $0.close() }
        case .cluster(let links): links.forEach { $0.close() }
        }
    }

    // MARK: Commands

    /// Sends `command` and returns the reply; other commands of the loop continue meanwhile.
    ///
    /// - Parameter limit: the time-out; by default the `commandTimeout` of the configuration.
    @discardableResult
    public func run(_ command: RedisCommand, within limit: Duration? = nil) async throws(RedisError) -> RedisValue {
        let report = configuration.beginTrace?()
        let outcome = await withUnsafeContinuation { continuation in
            send(command, within: limit, .continuation(continuation))
        }
        report?(CommandReport(name: command.name, count: 1, hasFailed: outcome.isFailure))
        return try outcome.get()
    }

    /// Sends all commands together and returns their outcomes in the same order; they do not wait for each other. Use
    /// `runInBatches(_:)` if there may be more than fit on a connection.
    public func run(
        _ commands: [RedisCommand], within limit: Duration? = nil
    ) async -> [Result<RedisValue, RedisError>] {
        guard !commands.isEmpty else { return [] }
        let report = configuration.beginTrace?()
        let outcomes: [Result<RedisValue, RedisError>] = await withUnsafeContinuation { continuation in
            let outcomes = OutcomeCollector(count: commands.count, continuation)
            for (index, command) in commands.enumerated() {
                send(command, within: limit, .closure { outcomes.add($0, at: index) })
            }
        }
        report?(
            CommandReport(
                name: commands[0].name, count: commands.count, hasFailed: outcomes.contains(where: \.isFailure)))
        return outcomes
    }

    /// Sends `command` without waiting; a failure is ignored. For hints that the next one replaces.
    public func post(_ command: RedisCommand) {
        send(command, within: nil, .none)
    }

    /// Sends a command without a key to the server, or to each master of the cluster.
    ///
    /// - Parameter limit: the time-out; by default the `commandTimeout` of the configuration.
    public func runOnEachServer(
        _ command: RedisCommand, within limit: Duration? = nil
    ) async -> [Result<RedisValue, RedisError>] {
        await withUnsafeContinuation { continuation in
            switch route {
            case .single(let links):
                links.current.send(command, within: limit, .closure { continuation.resume(returning: [$0]) })
            case .cluster(let links):
                links.current.sendToMasters(command, within: limit) { continuation.resume(returning: $0) }
            }
        }
    }
}

/// Collects the outcomes of commands sent together.
private final class OutcomeCollector {
    private var outcomes: [Result<RedisValue, RedisError>?]
    private var missing: Int
    private let continuation: UnsafeContinuation<[Result<RedisValue, RedisError>], Never>

    init(count: Int, _ continuation: UnsafeContinuation<[Result<RedisValue, RedisError>], Never>) {
        outcomes = Array(repeating: nil, count: count)
        missing = count
        self.continuation = continuation
    }

    func add(_ outcome: Result<RedisValue, RedisError>, at index: Int) {
        outcomes[index] = outcome
        missing -= 1
        if missing == 0 { continuation.resume(returning: outcomes.compactMap(\.self)) }
    }
}
