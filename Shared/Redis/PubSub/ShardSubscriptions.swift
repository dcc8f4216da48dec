internal import EventLoop

/// The shard channels of a cluster: each is subscribed to at one node that has its slot.
///
/// When a slot moves or a node is lost, its channels go to another node; their listeners get `lost` and then `gap`. They
/// get both as well when another master takes over their channel, or its master comes back.
///
/// - Note: `@unchecked Sendable` because it is confined to the subscriber's loop.
final class ShardSubscriptions: @unchecked Sendable {
    private let cluster: RedisCluster
    private let loop: EventLoop
    private let group: EventLoopGroup
    private let pool: BlockingPool
    private var homes = ChannelHomes(number: Int.random(in: 0..<1024))
    private var links: [ClusterNode: ChannelLink] = [:]
    /// Listeners of channels that no node serves as far as is known.
    private var waiting: [[UInt8]: [SubscriptionTable<RedisSubscription>.Subscriber]] = [:]
    /// Channels that a node has refused or given up, until the next attempt.
    private var refused: Set<[UInt8]> = []
    private var isClosed = false

    /// The pause before a refused channel is tried again.
    private static let pause = Duration.milliseconds(20)

    init(_ cluster: RedisCluster, on loop: EventLoop, of group: EventLoopGroup, resolvingOn pool: BlockingPool) {
        self.cluster = cluster
        self.loop = loop
        self.group = group
        self.pool = pool
    }

    func start() {
        cluster.observe(on: loop) { [weak self] map in
            guard let self, !isClosed else { return }
            perform(homes.use(map))
            closeUnused(in: map)
        }
        cluster.observeReturns(on: loop) { [weak self] master in
            if let self, !isClosed { perform(homes.returned(master)) }
        }
    }

    func close() {
        isClosed = true
        for link in links.values { link.link.close() }
    }

    // MARK: Listeners

    func add(_ subscription: RedisSubscription) {
        let name = subscription.name
        if let home = homes.add(name), waiting[name] == nil {
            link(to: home).add(subscription)
        } else {
            waiting[name, default: []].append(.init(listener: subscription))
        }
    }

    func remove(_ subscription: RedisSubscription) {
        let name = subscription.name
        if let index = waiting[name]?.firstIndex(where: { $0.listener === subscription }) {
            waiting[name]?.remove(at: index)
            guard waiting[name]?.isEmpty == true else { return }
            waiting[name] = nil
            homes.remove(name)
        } else if let home = homes.home(of: name), links[home]?.remove(subscription) == false {
            homes.remove(name)
        }
    }

    // MARK: Nodes

    private func link(to node: ClusterNode) -> ChannelLink {
        if let link = links[node] { return link }
        let link = ChannelLink(
            RedisLink(cluster.configuration(of: node), on: loop, resolvingOn: pool), to: group, isSharded: true)
        link.owner = self
        links[node] = link
        link.start()
        return link
    }

    /// Gives up nodes that are no longer in the map. One that comes back is connected to when it is needed.
    private func closeUnused(in map: ClusterMap) {
        let nodes = Set(map.nodes)
        for (node, link) in links where !nodes.contains(node) && link.isEmpty {
            links[node] = nil
            link.link.close()
            _ = homes.note(node, isDown: false)
        }
    }

    private func node(of link: ChannelLink) -> ClusterNode? { links.first { $0.value === link }?.key }

    private func perform(_ changes: [ChannelHomes.Change]) {
        for change in changes {
            switch change {
            case .move(let name, let old, let new):
                var subscribers = waiting.removeValue(forKey: name) ?? []
                if let old { subscribers += links[old]?.takeChannel(name) ?? [] }
                if !subscribers.isEmpty { link(to: new).add(subscribers, to: name) }
            case .interrupt(let name, let node): links[node]?.interrupt(name)
            }
        }
    }

    /// Subscribes again to channels that are still without a subscription at their home.
    private func retrySoon(_ name: [UInt8]) {
        if refused.isEmpty { loop.schedule(after: Self.pause) { [weak self] in self?.retry() } }
        refused.insert(name)
    }

    private func retry() {
        let names = refused
        refused = []
        guard !isClosed else { return }
        for name in names {
            // Without a home, the listeners wait for a map that has one.
            guard let home = homes.home(of: name), let subscribers = waiting.removeValue(forKey: name) else { continue }
            link(to: home).add(subscribers, to: name)
        }
    }
}

extension ShardSubscriptions: ChannelLinkOwner {
    func stateChanged(_ state: RedisState, of link: ChannelLink) {
        guard !isClosed, let node = node(of: link) else { return }
        switch state {
        case .lost:
            cluster.refreshSoon()
            perform(homes.note(node, isDown: true))
        case .connected: perform(homes.note(node, isDown: false))
        case .connecting, .closed: break
        }
    }

    func refused(_ channel: [UInt8], _ reason: ClusterRefusal, by link: ChannelLink) {
        cluster.report(.redirected(reason.name))
        leave(channel, link)
        if case .moved(let slot, let node) = reason { perform(homes.assign(slot, to: node)) }
    }

    func gaveUp(_ channel: [UInt8], by link: ChannelLink) { leave(channel, link) }

    /// Keeps the listeners of a channel until it is tried again, where the map then says.
    private func leave(_ channel: [UInt8], _ link: ChannelLink) {
        cluster.refreshSoon()
        let subscribers = link.takeChannel(channel)
        guard !subscribers.isEmpty else { return }
        waiting[channel, default: []] += subscribers
        retrySoon(channel)
    }
}
