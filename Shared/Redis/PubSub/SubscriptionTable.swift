/// Which channels have listeners, and what the server has been told and has confirmed of them.
///
/// The server is told once a turn what has changed: a channel subscribed by thousands of listeners costs one
/// SUBSCRIBE, one that is left and entered again within a turn nothing at all.
struct SubscriptionTable<Listener: AnyObject> {
    /// What a listener is to be told when its channel is confirmed.
    enum Confirmation: Equatable {
        /// From now on it hears every message.
        case first
        /// It hears again; what came in between may be lost.
        case gap
    }

    private struct Subscriber {
        let listener: Listener
        /// Whether the listener has been told that it hears.
        var wasLive = false
    }

    private struct Channel {
        var subscribers: [Subscriber] = []
        /// Whether the last that the server was told is SUBSCRIBE.
        var isAsked = false
        /// Confirmations of SUBSCRIBE and of UNSUBSCRIBE on their way; what counts is the last.
        var subscribing = 0
        var unsubscribing = 0
        /// Whether it is to be compared with what the server was told.
        var isDirty = false

        var isLive: Bool { isAsked && subscribing == 0 }
        var isForgettable: Bool { subscribers.isEmpty && !isAsked && subscribing == 0 && unsubscribing == 0 }
    }

    private var channels: [[UInt8]: Channel] = [:]
    private var dirty: [[UInt8]] = []
    /// Confirmations of SUBSCRIBE on their way.
    private(set) var unconfirmed = 0

    /// Channels that have listeners or are being left.
    var count: Int { channels.count }
    /// Whether `flush` has something to tell the server.
    var isDirty: Bool { !dirty.isEmpty }

    /// Adds a listener; says whether its channel is live already.
    mutating func add(_ listener: Listener, to name: [UInt8]) -> Bool {
        let isLive = channels[name, default: Channel()].isLive
        channels[name, default: Channel()].subscribers.append(Subscriber(listener: listener, wasLive: isLive))
        markDirty(name)
        return isLive
    }

    /// Removes a listener; one that is not there is ignored.
    mutating func remove(_ listener: Listener, from name: [UInt8]) {
        guard let place = channels[name]?.subscribers.firstIndex(where: { $0.listener === listener }) else { return }
        channels[name]?.subscribers.remove(at: place)
        markDirty(name)
    }

    /// Calls `body` with each listener of a channel.
    func forEachListener(of name: [UInt8], _ body: (Listener) -> Void) {
        guard let channel = channels[name] else { return }
        for subscriber in channel.subscribers { body(subscriber.listener) }
    }

    /// What to tell the server now, in this order: the channels to subscribe to and those to leave.
    mutating func flush() -> (subscribe: [[UInt8]], unsubscribe: [[UInt8]]) {
        var subscribe: [[UInt8]] = []
        var unsubscribe: [[UInt8]] = []
        for name in dirty {
            guard var channel = channels[name] else { continue }
            channel.isDirty = false
            if channel.subscribers.isEmpty == channel.isAsked {
                channel.isAsked.toggle()
                if channel.isAsked {
                    channel.subscribing += 1
                    unconfirmed += 1
                    subscribe.append(name)
                } else {
                    channel.unsubscribing += 1
                    unsubscribe.append(name)
                }
            }
            channels[name] = channel.isForgettable ? nil : channel
        }
        dirty.removeAll(keepingCapacity: dirty.count <= 1024)
        return (subscribe, unsubscribe)
    }

    /// The server has confirmed SUBSCRIBE; returns who is to be told and what.
    mutating func confirmedSubscribe(_ name: [UInt8]) -> [(Listener, Confirmation)] {
        guard var channel = channels[name], channel.subscribing > 0 else { return [] }
        channel.subscribing -= 1
        unconfirmed -= 1
        var told: [(Listener, Confirmation)] = []
        if channel.isLive {
            for place in channel.subscribers.indices {
                told.append((channel.subscribers[place].listener, channel.subscribers[place].wasLive ? .gap : .first))
                channel.subscribers[place].wasLive = true
            }
        }
        channels[name] = channel
        return told
    }

    /// The server has confirmed UNSUBSCRIBE.
    mutating func confirmedUnsubscribe(_ name: [UInt8]) {
        guard var channel = channels[name], channel.unsubscribing > 0 else { return }
        channel.unsubscribing -= 1
        channels[name] = channel.isForgettable ? nil : channel
    }

    /// The connection is gone; returns the listeners that no longer hear. The next `flush` subscribes anew.
    mutating func lost() -> [Listener] {
        unconfirmed = 0
        var deaf: [Listener] = []
        dirty = []
        for (name, channel) in channels {
            if channel.isLive { deaf += channel.subscribers.lazy.filter(\.wasLive).map(\.listener) }
            guard !channel.subscribers.isEmpty else {
                channels[name] = nil
                continue
            }
            channels[name] = Channel(subscribers: channel.subscribers, isDirty: true)
            dirty.append(name)
        }
        return deaf
    }

    private mutating func markDirty(_ name: [UInt8]) {
        guard channels[name]?.isDirty == false else { return }
        channels[name]?.isDirty = true
        dirty.append(name)
    }
}
