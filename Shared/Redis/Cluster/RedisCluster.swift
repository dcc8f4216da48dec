public import EventLoop
internal import Synchronization
internal import Wire

/// The map of a cluster, which one process reads from any of its nodes and shares among its connections.
///
/// It is read again every second, and sooner after a lost connection or a redirection.
///
/// - Note: `@unchecked Sendable` because all mutable state is touched only on `loop`, except the latest map.
public final class RedisCluster: @unchecked Sendable {
    private typealias Observer = (loop: EventLoop, handler: @Sendable (ClusterMap) -> Void)

    let configuration: RedisConfiguration
    private let seeds: [ClusterNode]
    private let loop: EventLoop
    private let pool: BlockingPool
    private let latest = Mutex<ClusterMap?>(nil)
    private var observers: [Observer] = []
    private var source: (node: ClusterNode, connection: RedisConnection)?
    private var pause: RedisWait?
    private var isHastened = false
    /// Until then the map is read more often.
    private var unrestUntil: UInt64 = 0
    private var isClosed = false
    private var returnObservers: [(loop: EventLoop, handler: @Sendable (ClusterNode) -> Void)] = []
    /// When each master last came back.
    private var returns: [ClusterNode: UInt64] = [:]

    private static let interval = Duration.seconds(1)
    private static let shortInterval = Duration.milliseconds(50)
    private static let delay = Duration.milliseconds(10)
    private static let unrest = Duration.seconds(10)
    private static let timeout = Duration.seconds(1)
    private static let returnInterval = Duration.seconds(1)

    /// Starts to read the map from the `seeds` of `configuration`, on a loop of `group`.
    init(_ configuration: RedisConfiguration, on group: EventLoopGroup, resolvingOn pool: BlockingPool) {
        var configuration = configuration
        configuration.connectTimeout = min(configuration.connectTimeout, Self.timeout)
        self.configuration = configuration
        seeds = configuration.seeds.compactMap { seed in
            if case .host(let host, let port) = seed { ClusterNode(host: host, port: port) } else { nil }
        }
        loop = group.loops[0]
        self.pool = pool
        loop.execute { [self] in Task(executorPreference: loop) { [self] in await run() } }
    }

    /// Stops reading the map.
    public func close() {
        loop.execute { [self] in
            isClosed = true
            pause?.end(.success(()))
            source?.connection.close()
        }
    }

    // MARK: The map

    /// The latest map; nil before the first.
    var map: ClusterMap? { latest.withLock(\.self) }

    /// Calls `handler` on `target` with the latest map, if there is one, and with each map that differs.
    func observe(on target: EventLoop, _ handler: @escaping @Sendable (ClusterMap) -> Void) {
        loop.execute { [self] in
            observers.append((target, handler))
            if let map { target.execute { handler(map) } }
        }
    }

    /// Returns any node, a different one at each call.
    func anyServer() -> RedisConfiguration.Server {
        let nodes = map?.nodes ?? seeds
        return (nodes.randomElement() ?? seeds[0]).server
    }

    /// The configuration of a connection to a node.
    func configuration(of node: ClusterNode) -> RedisConfiguration {
        var configuration = configuration
        configuration.server = node.server
        return configuration
    }

    /// A node is lost or has refused a command, so the map is read as soon as possible, and often for a while.
    func refreshSoon() {
        loop.execute { [self] in
            unrestUntil = loop.now &+ Self.unrest.wholeNanoseconds
            guard !isHastened else { return }
            isHastened = true
            // Many connections notice the same change.
            loop.schedule(after: Self.delay) { [self] in
                isHastened = false
                pause?.end(.success(()))
            }
        }
    }

    /// Calls `handler` on `target` when a master executes commands again after it was lost.
    func observeReturns(on target: EventLoop, _ handler: @escaping @Sendable (ClusterNode) -> Void) {
        loop.execute { [self] in returnObservers.append((target, handler)) }
    }

    /// A master executes commands again. Before that it may have accepted messages that it could send to no other node.
    func noteReturn(of node: ClusterNode) {
        loop.execute { [self] in
            // Each loop has a connection to it, and notices.
            if let last = returns[node], loop.now - last < Self.returnInterval.wholeNanoseconds { return }
            returns[node] = loop.now
            for observer in returnObservers { observer.loop.execute { observer.handler(node) } }
        }
    }

    func report(_ event: RedisClusterEvent) { configuration.onClusterEvent?(event) }

    // MARK: Reading

    private func run() async {
        while !isClosed {
            do {
                adopt(try await read())
                report(.refreshed)
            } catch {
                report(.refreshFailed(error))
                unrestUntil = loop.now &+ Self.unrest.wholeNanoseconds
            }
            if isClosed { break }
            let time = loop.now < unrestUntil ? Self.shortInterval : Self.interval
            _ = await withUnsafeContinuation { (continuation: RedisWait.Continuation) in
                pause = RedisWait(on: loop, within: time, continuation) { .timedOut }
            }
            pause = nil
        }
        source?.connection.close()
    }

    /// Asks the nodes one by one until one knows the present map. A node that is cut off has an older one, so it counts
    /// only if no other answers.
    private func read() async throws(RedisError) -> ClusterMap {
        var best: ClusterMap?
        var failure = RedisError.notConnected
        let known = map
        for node in candidates where !isClosed {
            do {
                let (map, isWhole) = try await ask(node)
                if isWhole, map.epoch >= known?.epoch ?? 0 { return map }
                if map.epoch >= best?.epoch ?? 0 { best = map }
            } catch {
                failure = error
            }
            dropSource()
        }
        guard let best else { throw failure }
        return best
    }

    private var candidates: [ClusterNode] {
        var nodes = source.map { [$0.node] } ?? []
        for node in (map?.nodes ?? []).shuffled() + seeds where !nodes.contains(node) { nodes.append(node) }
        return nodes
    }

    private func ask(_ node: ClusterNode) async throws(RedisError) -> (ClusterMap, isWhole: Bool) {
        if source?.node != node || source?.connection.isClosed != false {
            dropSource()
            source = (node, try await RedisConnection.open(configuration(of: node), on: loop, resolvingOn: pool))
        }
        guard let connection = source?.connection else { throw .notConnected }
        let info = ClusterInfo(
            try await connection.run(RedisCommand("CLUSTER", "INFO"), within: Self.timeout).requireText())
        let slots = try await connection.run(RedisCommand("CLUSTER", "SLOTS"), within: Self.timeout)
        return (try ClusterMap(slots: slots, epoch: info.epoch, from: node), info.isServing)
    }

    private func dropSource() {
        source?.connection.close()
        source = nil
    }

    private func adopt(_ new: ClusterMap) {
        let old = map
        latest.withLock { $0 = new }
        if let old, new.isSame(as: old) { return }
        report(
            .changed(
                masters: new.masters.map(\.description), replicas: new.nodes.count - new.masters.count,
                slotsMoved: old.map { new.slotsMoved(since: $0) } ?? 0, isComplete: new.isComplete))
        for observer in observers { observer.loop.execute { observer.handler(new) } }
    }
}

extension RedisConfiguration {
    /// Reads the map of the cluster from now on, for all connections with this configuration; nothing for a single server.
    public mutating func joinCluster(on group: EventLoopGroup, resolvingOn pool: BlockingPool) {
        if !seeds.isEmpty, cluster == nil { cluster = RedisCluster(self, on: group, resolvingOn: pool) }
    }
}
