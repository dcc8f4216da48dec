/// A message on a connection with subscriptions.
enum RedisPush: Equatable {
    case message(channel: [UInt8], bytes: [UInt8])
    case subscribed(channel: [UInt8])
    case unsubscribed(channel: [UInt8])
    case pong
    case refused(RedisRefusal)
    case other

    private static let messageKind = Array("message".utf8)
    private static let subscribeKind = Array("subscribe".utf8)
    private static let unsubscribeKind = Array("unsubscribe".utf8)
    private static let shardMessageKind = Array("smessage".utf8)
    private static let shardSubscribeKind = Array("ssubscribe".utf8)
    private static let shardUnsubscribeKind = Array("sunsubscribe".utf8)
    private static let pongKind = Array("pong".utf8)

    init(_ value: RedisValue) {
        switch value {
        case .array(let parts): self = Self.parse(parts)
        case .status("PONG"): self = .pong
        case .error(let refusal): self = .refused(refusal)
        default: self = .other
        }
    }

    private static func parse(_ parts: [RedisValue]) -> RedisPush {
        guard parts.count >= 2, case .bytes(let kind) = parts[0], case .bytes(let channel) = parts[1] else {
            return .other
        }
        switch kind {
        case messageKind, shardMessageKind:
            guard parts.count == 3, case .bytes(let bytes) = parts[2] else { return .other }
            return .message(channel: channel, bytes: bytes)
        case subscribeKind, shardSubscribeKind: return .subscribed(channel: channel)
        case unsubscribeKind, shardUnsubscribeKind: return .unsubscribed(channel: channel)
        case pongKind: return .pong
        default: return .other
        }
    }
}
