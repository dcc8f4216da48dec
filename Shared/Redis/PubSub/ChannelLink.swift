internal import EventLoop

/// The channels that one connection subscribes to, and the connection, which is opened again whenever it is lost.
///
/// - Note: `@unchecked Sendable` because it is confined to the subscriber's loop.
final class ChannelLink: @unchecked Sendable {
    let link: RedisLink
    private let loop: EventLoop
    /// Shard channels belong to one node of a cluster each; the node may refuse them one by one, and give them up.
    private let isSharded: Bool
    private var table = SubscriptionTable<RedisSubscription>()
    private let deliveries: PubSubDeliveries
    private var order = ReplyOrder()
    private var isRestoring = false
    private var willFlush = false
    weak var owner: (any ChannelLinkOwner)?

    /// The greatest number of channels in one SUBSCRIBE. A cluster allows one in SSUBSCRIBE.
    private static let channelsPerCommand = 512

    init(_ link: RedisLink, to group: EventLoopGroup, isSharded: Bool) {
        self.link = link
        loop = link.loop
        self.isSharded = isSharded
        deliveries = PubSubDeliveries(from: loop, to: group, limit: link.configuration.deliveryLimit)
    }

    /// Starts connecting.
    func start() {
        link.observe { [weak self] in
            self?.linkChanged($0)
            return self == nil ? .remove : .keep
        }
        link.start()
    }

    /// Whether it has no channels.
    var isEmpty: Bool { table.count == 0 }

    // MARK: Listeners

    func add(_ subscription: RedisSubscription) {
        let isLive = table.add(subscription, to: subscription.name)
        if isLive {
            deliveries.add(.confirmed, for: subscription)
            deliveries.send()
        }
        flushSoon()
    }

    /// Returns whether the channel has other listeners.
    func remove(_ subscription: RedisSubscription) -> Bool {
        table.remove(subscription, from: subscription.name)
        flushSoon()
        return table.hasListeners(subscription.name)
    }

    /// Gives up a channel that another connection takes over. Its listeners get `lost`.
    func takeChannel(_ name: [UInt8]) -> [SubscriptionTable<RedisSubscription>.Subscriber] {
        let (subscribers, wasLive) = table.takeChannel(name)
        if wasLive { lose(subscribers) }
        return subscribers
    }

    /// Takes over a channel of another connection.
    func add(_ subscribers: [SubscriptionTable<RedisSubscription>.Subscriber], to name: [UInt8]) {
        table.add(subscribers, to: name)
        flushSoon()
    }

    /// Messages of a channel may be lost although it is still subscribed to.
    func interrupt(_ name: [UInt8]) {
        let subscribers = table.liveSubscribers(of: name)
        lose(subscribers)
        for subscriber in subscribers where subscriber.wasLive { deliveries.add(.gap, for: subscriber.listener) }
        deliveries.send()
    }

    private func lose(_ subscribers: [SubscriptionTable<RedisSubscription>.Subscriber]) {
        for subscriber in subscribers where subscriber.wasLive { deliveries.add(.lost, for: subscriber.listener) }
        deliveries.send()
    }

    // MARK: State

    func notify(_ state: RedisState, _ observers: [@Sendable (RedisState) -> Void]) {
        deliveries.notify(state, observers)
    }

    private func linkChanged(_ new: RedisState) {
        switch new {
        case .connecting: break
        case .connected:
            guard let connection = link.connection else { return }
            connection.pushes = self
            deliveries.connection = connection
            isRestoring = true
            order.removeAll()
            flush()
            // The reply to PING comes after the confirmations of all channels.
            connection.sendUnanswered(.ping)
        case .lost, .closed:
            for listener in table.lost() { deliveries.add(.lost, for: listener) }
            deliveries.connection = nil
            changeState(new)
        }
    }

    private func changeState(_ new: RedisState) {
        deliveries.send()
        owner?.stateChanged(new, of: self)
    }

    // MARK: Commands to the server

    private func flushSoon() {
        guard !willFlush, table.isDirty else { return }
        willFlush = true
        loop.executeAtEndOfTurn { [self] in
            willFlush = false
            flush()
        }
    }

    private func flush() {
        guard let connection = link.connection else { return }
        let (subscribe, unsubscribe) = table.flush()
        send(subscribe, isSubscribe: true, on: connection)
        send(unsubscribe, isSubscribe: false, on: connection)
    }

    private func send(_ names: [[UInt8]], isSubscribe: Bool, on connection: RedisConnection) {
        guard !isSharded else {
            for name in names {
                order.append(ReplyOrder.Request(channel: name, isSubscribe: isSubscribe))
                connection.sendUnanswered(RedisCommand(isSubscribe ? "SSUBSCRIBE" : "SUNSUBSCRIBE", name))
            }
            return
        }
        for start in stride(from: 0, to: names.count, by: Self.channelsPerCommand) {
            let part = names[start..<min(start + Self.channelsPerCommand, names.count)]
            connection.sendUnanswered(RedisCommand(isSubscribe ? "SUBSCRIBE" : "UNSUBSCRIBE", Array(part)))
        }
    }
}

extension ChannelLink: RedisPushHandler {
    func received(_ push: RedisValue) {
        switch RedisPush(push) {
        case .message(let name, let bytes):
            table.forEachListener(of: name) { deliveries.add(.message(bytes), for: $0) }
        case .subscribed(let name): subscribed(name)
        case .unsubscribed(let name): unsubscribed(name)
        case .pong:
            guard isRestoring, case .connected = link.state else { return }
            isRestoring = false
            changeState(link.state)
        case .refused(let refusal): refused(refusal)
        case .other: link.connection?.close(.unexpectedReply("on a connection with subscriptions"))
        }
    }

    func receivedAll() { deliveries.send() }

    private func subscribed(_ name: [UInt8]) {
        if isSharded {
            guard order.first == ReplyOrder.Request(channel: name, isSubscribe: true) else { return outOfOrder() }
            order.removeFirst()
        }
        for (listener, confirmation) in table.confirmedSubscribe(name) {
            deliveries.add(confirmation == .gap ? .gap : .confirmed, for: listener)
        }
    }

    private func unsubscribed(_ name: [UInt8]) {
        guard isSharded, order.first != ReplyOrder.Request(channel: name, isSubscribe: false) else {
            if isSharded { order.removeFirst() }
            return table.confirmedUnsubscribe(name)
        }
        // This process did not unsubscribe: the slot has moved to another node.
        guard table.hasListeners(name) else { return }
        owner?.gaveUp(name, by: self)
    }

    private func refused(_ refusal: RedisRefusal) {
        let reason = isSharded ? ClusterRefusal(refusal, from: ClusterNode(link.configuration.server)) : nil
        // The node gave a channel up before it read SUNSUBSCRIBE, and that has counted as the reply.
        if case .moved(let slot, _)? = reason, order.first.map({ HashSlot.of($0.channel) }) != slot { return }
        guard let request = order.first, let reason else {
            link.connection?.close(.server(refusal))
            return
        }
        order.removeFirst()
        if request.isSubscribe {
            owner?.refused(request.channel, reason, by: self)
        } else {
            table.confirmedUnsubscribe(request.channel)
        }
    }

    private func outOfOrder() {
        link.connection?.close(.unexpectedReply("the confirmation of a channel that comes later"))
    }
}

/// Follows the channels of a connection.
protocol ChannelLinkOwner: AnyObject {
    /// The connection is lost, or all its channels are confirmed again.
    func stateChanged(_ state: RedisState, of link: ChannelLink)
    /// The node does not have the slot of a shard channel, or not yet.
    func refused(_ channel: [UInt8], _ reason: ClusterRefusal, by link: ChannelLink)
    /// The node has ended the subscription to a shard channel by itself.
    func gaveUp(_ channel: [UInt8], by link: ChannelLink)
}

extension ClusterNode {
    /// The address of a connection.
    fileprivate init(_ server: RedisConfiguration.Server) {
        switch server {
        case .host(let host, let port): self.init(host: host, port: port)
        case .unixPath(let path): self.init(host: path, port: 0)
        }
    }
}
