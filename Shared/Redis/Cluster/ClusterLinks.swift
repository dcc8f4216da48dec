internal import EventLoop
internal import Wire

/// One loop's connections to the masters of a cluster.
///
/// - Note: `@unchecked Sendable` because it is confined to its loop, like `RedisLink`.
final class ClusterLinks: @unchecked Sendable, RedisStateSource {
    let loop: EventLoop
    let cluster: RedisCluster
    private let pool: BlockingPool
    private(set) var router = ClusterRouter()
    private var links: [ClusterNode: MasterLink] = [:]
    /// The masters of the last map; the router knows those that refusals have named as well. nil before the first map.
    private var mappedMasters: [ClusterNode]?
    private var returnObservers: [() -> Void] = []
    private var observers: [RedisLink.Observer] = []
    private var generation = 0
    /// The connection of each master at which the state became `connected`.
    private var known: [ClusterNode: RedisState] = [:]

    /// Commands in flight to a node that is no longer a master have ended by then.
    private static let grace = Duration.seconds(5)

    /// Connected while each slot has a master and each master executes commands. The generation grows with each connection
    /// and each master that takes another's place.
    private(set) var state = RedisState.connecting {
        didSet { if state != oldValue { notifyObservers() } }
    }

    init(_ cluster: RedisCluster, on loop: EventLoop, resolvingOn pool: BlockingPool) {
        self.cluster = cluster
        self.loop = loop
        self.pool = pool
    }

    func start() {
        loop.preconditionInLoop()
        cluster.observe(on: loop) { [weak self] in self?.use($0) }
    }

    func close() {
        loop.preconditionInLoop()
        state = .closed
        for link in links.values { link.close() }
    }

    func observe(_ observer: @escaping RedisLink.Observer) {
        if observer(state) == .keep { observers.append(observer) }
    }

    func timeSinceReturn(of key: RedisKey) -> Duration? {
        guard let node = router.node(for: HashSlot.of(key.name.utf8)), let link = links[node] else { return nil }
        return link.history.timeSinceReturn(at: loop.now)
    }

    func observeReturns(_ observer: @escaping () -> Void) { returnObservers.append(observer) }

    private func notifyObservers() {
        let notified = observers
        observers = []
        observers += notified.filter { $0(state) == .keep }
    }

    // MARK: Nodes

    private func use(_ map: ClusterMap) {
        guard state != .closed else { return }
        let before = mappedMasters
        mappedMasters = map.masters
        router.use(map, number: loop.index)
        for master in map.masters {
            let link = link(to: master)
            if let before, !before.contains(master) { link.succeed() }
        }
        let masters = Set(map.masters)
        if links.keys.contains(where: { !masters.contains($0) }) {
            loop.schedule(after: Self.grace) { [weak self] in self?.closeUnused() }
        }
        updateState()
    }

    private func closeUnused() {
        guard state != .closed, let masters = router.map?.masters else { return }
        for node in links.keys where !masters.contains(node) { links.removeValue(forKey: node)?.close() }
    }

    private func link(to node: ClusterNode) -> MasterLink {
        if let link = links[node] { return link }
        let link = MasterLink(RedisLink(cluster.configuration(of: node), on: loop, resolvingOn: pool))
        links[node] = link
        link.onChange = { [weak self, unowned link] change in
            guard let self, state != .closed else { return }
            if case .lost = link.state { cluster.refreshSoon() }
            updateState()
            guard change != .state, router.map?.masters.contains(node) == true else { return }
            // When a replica has taken over, the map shows it.
            if change == .returned { cluster.noteReturn(of: node) }
            for observer in returnObservers { observer() }
        }
        link.start()
        return link
    }

    private func updateState() {
        guard let map = router.map else { return }
        var connections: [ClusterNode: RedisState] = [:]
        for master in map.masters {
            guard let state = links[master]?.state, state.isConnected else {
                return lose(links[master]?.state ?? .connecting)
            }
            connections[master] = state
        }
        guard map.isComplete else {
            return lose(.lost(.server(RedisRefusal(message: "CLUSTERDOWN some slots have no node"))))
        }
        if state.isConnected, connections == known { return }
        known = connections
        generation += 1
        state = .connected(generation: generation)
    }

    private func lose(_ new: RedisState) {
        if case .lost = new { return state = new }
        if state.isConnected { state = .lost(.connectionLost("a master has taken another's place")) }
    }

    // MARK: Commands

    /// Sends a command to the node of its key; `waiter` always gets an outcome.
    func send(_ command: RedisCommand, within limit: Duration?, _ waiter: RedisWaiter) {
        let limit = limit ?? cluster.configuration.commandTimeout
        let delivery = ClusterDelivery(
            command.inCluster, deadline: loop.now &+ limit.wholeNanoseconds, waiter: waiter)
        start(delivery)
    }

    /// Sends a command to each master; the outcomes have the order of the answers.
    func sendToMasters(
        _ command: RedisCommand, within limit: Duration?, _ take: @escaping ([Result<RedisValue, RedisError>]) -> Void
    ) {
        let masters = router.map?.masters ?? []
        guard !masters.isEmpty else { return take([.failure(.notConnected)]) }
        var outcomes: [Result<RedisValue, RedisError>] = []
        for master in masters {
            link(to: master).link.send(
                command, within: limit,
                .closure { outcome in
                    outcomes.append(outcome)
                    if outcomes.count == masters.count { take(outcomes) }
                })
        }
    }

    private func start(_ delivery: ClusterDelivery) {
        guard state != .closed else { return delivery.waiter.complete(.failure(.closed)) }
        guard let node = router.node(for: delivery.slot) else {
            return delivery.waiter.complete(.failure(.notConnected))
        }
        send(delivery, to: node, asking: false)
    }

    private func send(_ delivery: ClusterDelivery, to node: ClusterNode, asking: Bool) {
        let master = self.link(to: node)
        let link = master.link
        if delivery.redirections == 0, master.isRefusing, !delivery.command.isShardPublish {
            return delivery.waiter.complete(.failure(.notConnected))
        }
        // A node that the map does not have yet is being connected to.
        if delivery.redirections > 0, case .connecting = link.state {
            return later(delivery, after: .milliseconds(5)) { [self] in send(delivery, to: node, asking: asking) }
        }
        if asking { link.send(.asking, within: nil, .none) }
        link.send(
            delivery.command, within: delivery.left(at: loop.now),
            .closure { [self] outcome in answered(delivery, by: node, outcome) })
    }

    private func answered(_ delivery: ClusterDelivery, by node: ClusterNode, _ outcome: Result<RedisValue, RedisError>)
    {
        guard case .failure(.server(let error)) = outcome, let refusal = ClusterRefusal(error, from: node) else {
            return delivery.waiter.complete(outcome)
        }
        if refusal.asksForMap { cluster.refreshSoon() }
        let left = delivery.left(at: loop.now)
        let step = router.step(after: refusal, redirections: delivery.redirections, left: left)
        guard step != .fail, state != .closed else { return delivery.waiter.complete(outcome) }
        cluster.report(.redirected(refusal.name))
        switch step {
        case .send(let node, let asking):
            delivery.redirections += 1
            send(delivery, to: node, asking: asking)
            // A master that no map has named yet may have taken the other's place, without its last writes.
            if !asking { updateState() }
        case .sendLater(let pause): later(delivery, after: pause) { [self] in start(delivery) }
        case .fail: break
        }
    }

    private func later(_ delivery: ClusterDelivery, after pause: Duration, _ body: @escaping () -> Void) {
        guard delivery.left(at: loop.now) > pause else { return delivery.waiter.complete(.failure(.timedOut)) }
        loop.schedule(after: pause, body)
    }
}

/// A command on its way through a cluster.
private final class ClusterDelivery {
    let command: RedisCommand
    let slot: Int?
    let deadline: UInt64
    let waiter: RedisWaiter
    /// The redirections that it has followed.
    var redirections = 0

    init(_ command: RedisCommand, deadline: UInt64, waiter: RedisWaiter) {
        self.command = command
        slot = command.key.map { HashSlot.of($0.name.utf8) }
        self.deadline = deadline
        self.waiter = waiter
    }

    func left(at now: UInt64) -> Duration { .nanoseconds(Int64(deadline > now ? deadline - now : 0)) }
}
