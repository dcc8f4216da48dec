public import EventLoop

/// The process's one connection for published messages, shared by the listeners of all loops.
///
/// The server gets one SUBSCRIBE for a channel with its first listener, and one UNSUBSCRIBE after its last. After a
/// lost connection all channels are subscribed to again, and their listeners get the event `gap`. Messages of one
/// channel reach each listener in the server's order; all messages of one read go to another loop together.
///
/// - Note: `@unchecked Sendable` because all mutable state is touched only on `loop`, where every public method sends
///   its work.
public final class RedisSubscriber: @unchecked Sendable {
    private let loop: EventLoop
    private let link: RedisLink
    private var table = SubscriptionTable<RedisSubscription>()
    private let deliveries: PubSubDeliveries
    private var observers: [@Sendable (RedisState) -> Void] = []
    /// The last state given to observers: `connected` only once all channels are confirmed.
    private var state = RedisState.connecting
    private var isRestoring = false
    private var willFlush = false

    /// The greatest number of channels in one SUBSCRIBE.
    private static let channelsPerCommand = 512

    /// Starts connecting on a loop of `group`; host names are resolved on `pool`.
    public init(
        _ configuration: RedisConfiguration, on group: EventLoopGroup, loop: EventLoop? = nil,
        resolvingOn pool: BlockingPool
    ) {
        self.loop = loop ?? group.loops[0]
        link = RedisLink(configuration, on: self.loop, resolvingOn: pool)
        deliveries = PubSubDeliveries(from: self.loop, to: group, limit: configuration.deliveryLimit)
        self.loop.execute { [self] in
            link.observe { [weak self] in
                self?.linkChanged($0)
                return self == nil ? .remove : .keep
            }
            link.start()
        }
    }

    // MARK: Listening

    /// Listens to `channel` until cancelled; `handler` is called on `caller`, the caller's loop.
    ///
    /// It returns at once: from the event `confirmed` on, every message arrives.
    public func listen(
        to channel: String, on caller: EventLoop, handler: @escaping (RedisSubscription.Event) -> Void
    ) -> RedisSubscription {
        caller.preconditionInLoop()
        let subscription = RedisSubscription(to: channel, of: self, on: caller, handler: handler)
        loop.execute { [self] in
            let isLive = table.add(subscription, to: subscription.name)
            if isLive {
                deliveries.add(.confirmed, for: subscription)
                deliveries.send()
            }
            flushSoon()
        }
        return subscription
    }

    /// Listens to `channel` and returns once the server has confirmed it: every message published from then on arrives,
    /// possibly before this returns.
    ///
    /// - Throws: `timedOut` if the server has not confirmed within `limit`; then there is no subscription.
    public func subscribe(
        to channel: String, on caller: EventLoop, within limit: Duration = .seconds(2),
        handler: @escaping (RedisSubscription.Event) -> Void
    ) async throws(RedisError) -> RedisSubscription {
        let subscription = listen(to: channel, on: caller, handler: handler)
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
            table.remove(subscription, from: subscription.name)
            flushSoon()
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
            deliveries.notify(state, [observer])
        }
    }

    /// Closes the connection for good; listeners get `lost`.
    public func close() {
        loop.execute { [self] in link.close() }
    }

    private func changeState(_ new: RedisState) {
        state = new
        deliveries.send()
        deliveries.notify(new, observers)
    }

    private func linkChanged(_ new: RedisState) {
        switch new {
        case .connecting: break
        case .connected:
            guard let connection = link.connection else { return }
            connection.pushes = self
            deliveries.connection = connection
            isRestoring = true
            flush()
            // The reply to PING comes after the confirmations of all channels.
            connection.sendUnanswered(.ping)
        case .lost, .closed:
            for listener in table.lost() { deliveries.add(.lost, for: listener) }
            deliveries.connection = nil
            changeState(new)
        }
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
        send("SUBSCRIBE", subscribe, on: connection)
        send("UNSUBSCRIBE", unsubscribe, on: connection)
    }

    private func send(_ command: String, _ names: [[UInt8]], on connection: RedisConnection) {
        for start in stride(from: 0, to: names.count, by: Self.channelsPerCommand) {
            let part = names[start..<min(start + Self.channelsPerCommand, names.count)]
            connection.sendUnanswered(RedisCommand(command, Array(part)))
        }
    }
}

extension RedisSubscriber: RedisPushHandler {
    func received(_ push: RedisValue) {
        switch RedisPush(push) {
        case .message(let name, let bytes):
            table.forEachListener(of: name) { deliveries.add(.message(bytes), for: $0) }
        case .subscribed(let name):
            for (listener, confirmation) in table.confirmedSubscribe(name) {
                deliveries.add(confirmation == .gap ? .gap : .confirmed, for: listener)
            }
        case .unsubscribed(let name): table.confirmedUnsubscribe(name)
        case .pong:
            guard isRestoring, case .connected = link.state else { return }
            isRestoring = false
            changeState(link.state)
        case .refused(let refusal): link.connection?.close(.server(refusal))
        case .other: link.connection?.close(.unexpectedReply("on a connection with subscriptions"))
        }
    }

    func receivedAll() { deliveries.send() }
}
