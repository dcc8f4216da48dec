/// The channels that have listeners, with the state of their subscriptions at the server.
///
/// Changes are sent once a turn: a channel with thousands of new listeners costs one SUBSCRIBE, and one that is left
/// and entered again within a turn costs nothing.
struct SubscriptionTable<Listener: AnyObject> {
    /// The event of a listener when its channel is confirmed.
    enum Confirmation: Equatable {
        /// The listener gets every message from now on.
        case first
        /// The listener gets messages again; earlier ones may be lost.
        case gap
    }

    /// A listener of a channel.
    struct Subscriber {
        let listener: Listener
        /// Whether the listener has had its first confirmation.
        var wasLive = false
    }

    private struct Channel {
        var subscribers: [Subscriber] = []
        /// Whether the last command for the channel was SUBSCRIBE.
        var isSubscribeSent = false
        /// Confirmations of SUBSCRIBE and of UNSUBSCRIBE that are still to come; the last one counts.
        var subscribing = 0
        var unsubscribing = 0
        /// Whether the next `flush` must check the channel.
        var isDirty = false

        var isLive: Bool { isSubscribeSent && subscribing == 0 }
        var isUnused: Bool { subscribers.isEmpty && !isSubscribeSent && subscribing == 0 && unsubscribing == 0 }
    }

    private var channels: [[UInt8]: Channel] = [:]
    private var dirty: [[UInt8]] = []
    /// Confirmations of SUBSCRIBE that are still to come.
    private(set) var unconfirmed = 0

    /// The number of channels that have listeners or wait for a confirmation.
    var count: Int { channels.count }
    /// Whether `flush` may have commands for the server.
    var isDirty: Bool { !dirty.isEmpty }

    /// Adds a listener; returns whether its channel is live already.
    mutating func add(_ listener: Listener, to name: [UInt8]) -> Bool {
        let isLive = channels[name, default: Channel()].isLive
        channels[name, default: Channel()].subscribers.append(Subscriber(listener: listener, wasLive: isLive))
        markDirty(name)
        return isLive
    }

    /// Removes a listener; an unknown one is ignored.
    mutating func remove(_ listener: Listener, from name: [UInt8]) {
        guard let index = channels[name]?.subscribers.firstIndex(where: { $0.listener === listener }) else { return }
        channels[name]?.subscribers.remove(at: index)
        markDirty(name)
    }

    /// Calls `body` with each listener of a channel.
    func forEachListener(of name: [UInt8], _ body: (Listener) -> Void) {
        guard let channel = channels[name] else { return }
        for subscriber in channel.subscribers { body(subscriber.listener) }
    }

    func hasListeners(_ name: [UInt8]) -> Bool { channels[name]?.subscribers.isEmpty == false }

    /// The subscribers of a channel that the server has confirmed; none for another one.
    func liveSubscribers(of name: [UInt8]) -> [Subscriber] {
        guard let channel = channels[name], channel.isLive else { return [] }
        return channel.subscribers
    }

    /// Removes a channel and returns its subscribers, for another table. Later replies of the server for it are ignored.
    mutating func takeChannel(_ name: [UInt8]) -> (subscribers: [Subscriber], wasLive: Bool) {
        guard let channel = channels.removeValue(forKey: name) else { return ([], false) }
        unconfirmed -= channel.subscribing
        return (channel.subscribers, channel.isLive)
    }

    /// Adds the subscribers of a channel of another table. Those that were live have a gap when it is confirmed.
    mutating func add(_ subscribers: [Subscriber], to name: [UInt8]) {
        channels[name, default: Channel()].subscribers += subscribers
        markDirty(name)
    }

    /// Returns the channels to subscribe to and the channels to unsubscribe from, to be sent in this order.
    mutating func flush() -> (subscribe: [[UInt8]], unsubscribe: [[UInt8]]) {
        var subscribe: [[UInt8]] = []
        var unsubscribe: [[UInt8]] = []
        for name in dirty {
            guard var channel = channels[name] else { continue }
            channel.isDirty = false
            if channel.subscribers.isEmpty == channel.isSubscribeSent {
                channel.isSubscribeSent.toggle()
                if channel.isSubscribeSent {
                    channel.subscribing += 1
                    unconfirmed += 1
                    subscribe.append(name)
                } else {
                    channel.unsubscribing += 1
                    unsubscribe.append(name)
                }
            }
            channels[name] = channel.isUnused ? nil : channel
        }
        dirty.removeAll(keepingCapacity: dirty.count <= 1024)
        return (subscribe, unsubscribe)
    }

    /// The server has confirmed SUBSCRIBE. Returns the listeners with their events.
    mutating func confirmedSubscribe(_ name: [UInt8]) -> [(Listener, Confirmation)] {
        guard var channel = channels[name], channel.subscribing > 0 else { return [] }
        channel.subscribing -= 1
        unconfirmed -= 1
        var confirmations: [(Listener, Confirmation)] = []
        if channel.isLive {
            for index in channel.subscribers.indices {
                let subscriber = channel.subscribers[index]
                confirmations.append((subscriber.listener, subscriber.wasLive ? .gap : .first))
                channel.subscribers[index].wasLive = true
            }
        }
        channels[name] = channel
        return confirmations
    }

    /// The server has confirmed UNSUBSCRIBE.
    mutating func confirmedUnsubscribe(_ name: [UInt8]) {
        guard var channel = channels[name], channel.unsubscribing > 0 else { return }
        channel.unsubscribing -= 1
        channels[name] = channel.isUnused ? nil : channel
    }

    /// The connection was lost. Returns the listeners that were live; the next `flush` subscribes again.
    mutating func lost() -> [Listener] {
        unconfirmed = 0
        var wereLive: [Listener] = []
        dirty = []
        for (name, channel) in channels {
            if channel.isLive { wereLive += channel.subscribers.lazy.filter(\.wasLive).map(\.listener) }
            guard !channel.subscribers.isEmpty else {
                channels[name] = nil
                continue
            }
            channels[name] = Channel(subscribers: channel.subscribers, isDirty: true)
            dirty.append(name)
        }
        return wereLive
    }

    private mutating func markDirty(_ name: [UInt8]) {
        guard channels[name]?.isDirty == false else { return }
        channels[name]?.isDirty = true
        dirty.append(name)
    }
}
