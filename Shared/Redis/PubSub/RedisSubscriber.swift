public import EventLoop

/// The process's one connection for published messages, shared by the listeners of all loops. In a cluster shard channels
/// have further connections, to the nodes that serve them.
///
/// The server gets one SUBSCRIBE for a channel with its first listener, and one UNSUBSCRIBE after its last. After a
/// lost connection all channels are subscribed to again, and their listeners get the event `gap`. Messages of one
/// channel reach each listener in the server's order; all messages of one read go to another loop together.
///
/// - Note: `@unchecked Sendable` because all mutable state is touched only on `loop`, where every public method sends
///   its work.
public final class RedisSubscriber: @unchecked Sendable {
    private let loop: EventLoop
    private let plain: ChannelLink
    /// nil for a single server, where shard channels are channels like others.
    private let shards: ShardSubscriptions?
    private let cluster: RedisCluster?
    private var observers: [@Sendable (RedisState) -> Void] = []
    /// The last state given to observers: `connected` only once all channels but shard channels are confirmed.
    private var state = RedisState.connecting
    private var masters: [ClusterNode] = []

    /// Starts connecting on a loop of `group`; host names are resolved on `pool`.
    public init(
        _ configuration: RedisConfiguration, on group: EventLoopGroup, loop: EventLoop? = nil,
        resolvingOn pool: BlockingPool
    ) {
        let loop = loop ?? group.loops[0]
        let cluster = configuration.cluster
        self.loop = loop
        self.cluster = cluster
        let link = RedisLink(
            configuration, on: loop, resolvingOn: pool,
            choosingServer: cluster.map { cluster in { cluster.anyServer() } })
        plain = ChannelLink(link, to: group, isSharded: false)
        shards = cluster.map { ShardSubscriptions($0, on: loop, of: group, resolvingOn: pool) }
        plain.owner = self
        loop.execute { [self] in
            plain.start()
            shards?.start()
        }
        cluster?.observe(on: loop) { [weak self] in self?.use($0) }
        cluster?.observeReturns(on: loop) { [weak self] _ in self?.reopen("a master of the cluster has come back") }
    }

    // MARK: Listening

    /// Listens to `channel` until cancelled; `handler` is called on `caller`, the caller's loop.
    ///
    /// It returns at once: from the event `confirmed` on, every message arrives.
    ///
    /// - Parameter isSharded: whether messages are published by `publish(_:toShardChannel:)`.
    public func listen(
        to channel: String, isSharded: Bool = false, on caller: EventLoop,
        handler: @escaping (RedisSubscription.Event) -> Void
    ) -> RedisSubscription {
        caller.preconditionInLoop()
        let subscription = RedisSubscription(
            to: channel, isSharded: isSharded, of: self, on: caller, handler: handler)
        loop.execute { [self] in
            if isSharded, let shards { shards.add(subscription) } else { plain.add(subscription) }
        }
        return subscription
    }

    /// Listens to `channel` and returns once the server has confirmed it: every message published from then on arrives,
    /// possibly before this returns.
    ///
    /// - Throws: `timedOut` if the server has not confirmed within `limit`; then there is no subscription.
    public func subscribe(
        to channel: String, isSharded: Bool = false, on caller: EventLoop, within limit: Duration = .seconds(2),
        handler: @escaping (RedisSubscription.Event) -> Void
    ) async throws(RedisError) -> RedisSubscription {
        let subscription = listen(to: channel, isSharded: isSharded, on: caller, handler: handler)
        do {
            try await subscription.confirmed(within: limit)
        } catch {
            subscription.cancel()
            throw error
        }
        return subscription
    }

    func remove(_ subscription: RedisSubscription) {
        loop.execute { [self] in
            if subscription.isSharded, let shards {
                shards.remove(subscription)
            } else {
                _ = plain.remove(subscription)
            }
        }
    }

    // MARK: State

    /// Calls `observer` on every loop, at once and whenever the connection is lost or restored.
    ///
    /// `connected` comes when every channel is confirmed again, after the events of their listeners: a query made after
    /// it misses no change that is not also a message. A cache kept up to date by messages is valid from `connected` to
    /// `lost`.
    public func observe(_ observer: @escaping @Sendable (RedisState) -> Void) {
        loop.execute { [self] in
            observers.append(observer)
            plain.notify(state, [observer])
        }
    }

    /// Closes the connections for good; listeners get `lost`.
    public func close() {
        loop.execute { [self] in
            plain.link.close()
            shards?.close()
        }
    }

    /// A master that is gone may have accepted messages that no other node received, so every listener gets a `gap`.
    private func use(_ map: ClusterMap) {
        let before = masters
        masters = map.masters
        guard before.allSatisfy(masters.contains) else { return reopen("a master of the cluster is another one") }
        leaveForeignNode()
    }

    /// Hints reach the nodes of the map only. A node that was taken out of the cluster, or that the others cannot reach, may keep its
    /// connections.
    private func leaveForeignNode() {
        guard let nodes = cluster?.map?.nodes, !nodes.isEmpty,
            let server = plain.link.connection?.configuration.server, !nodes.contains(where: { $0.server == server })
        else { return }
        reopen("the node is not in the cluster")
    }

    private func reopen(_ reason: String) { plain.link.connection?.close(.connectionLost(reason)) }
}

extension RedisSubscriber: ChannelLinkOwner {
    func stateChanged(_ new: RedisState, of link: ChannelLink) {
        if case .lost = new { cluster?.refreshSoon() }
        state = new
        plain.notify(new, observers)
        // The map may have changed while the connection was opened.
        if new.isConnected { leaveForeignNode() }
    }

    // A channel that is not a shard channel is refused with the connection.
    func refused(_: [UInt8], _: ClusterRefusal, by _: ChannelLink) {}
    func gaveUp(_: [UInt8], by _: ChannelLink) {}
}
