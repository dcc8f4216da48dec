public import Contract
public import EventLoop
public import Redis
public import Wire

/// Subscribes to messages on Redis channels and reads them.
///
/// A message of an unknown type, or one that cannot be read, is counted and skipped.
public struct MessageSubscriber: Sendable {
    private let subscriber: RedisSubscriber
    private let unknown: UnknownMessages

    public init(_ subscriber: RedisSubscriber, counting unknown: UnknownMessages) {
        self.subscriber = subscriber
        self.unknown = unknown
    }

    /// Calls `handler` on `loop`, which must be the caller's, with each hint of a type, until the subscription is cancelled.
    public func listen<Message: Hint>(
        to _: Message.Type, on loop: EventLoop, handler: @escaping (MessageEvent<Message>) -> Void
    ) -> RedisSubscription {
        listen(to: Message.redisChannel, isSharded: false, source: Message.redisChannel, on: loop, handler)
    }

    /// Calls `handler` on `loop`, which must be the caller's, with each event of a room, until the subscription is cancelled.
    public func listen(
        toRoom room: RoomID, on loop: EventLoop, handler: @escaping (MessageEvent<RoomEvent>) -> Void
    ) -> RedisSubscription {
        listen(to: RoomEvent.channel(of: room), isSharded: true, source: "room", on: loop, handler)
    }

    private func listen<Message: WireMessage>(
        to channel: String, isSharded: Bool, source: String, on loop: EventLoop,
        _ handler: @escaping (MessageEvent<Message>) -> Void
    ) -> RedisSubscription {
        subscriber.listen(to: channel, isSharded: isSharded, on: loop) { [unknown] event in
            switch event {
            case .message(let bytes):
                let json = try? JSONValue(parsing: bytes)
                guard let message = json.flatMap(Message.init) else {
                    return unknown.count(type: json?.string("type"), from: source)
                }
                handler(.message(message))
            case .confirmed: handler(.confirmed)
            case .gap: handler(.gap)
            case .lost: handler(.lost)
            }
        }
    }
}

/// An event of a subscription to messages, in order.
public enum MessageEvent<Message: WireMessage>: Sendable, Equatable {
    /// Redis has confirmed the subscription: every message published from now on arrives.
    case confirmed
    case message(Message)
    /// The connection is lost; nothing arrives until `gap`.
    case lost
    /// Redis has confirmed the subscription again. Messages published since `lost` may never arrive.
    case gap
}
