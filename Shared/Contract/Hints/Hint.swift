/// A message by Redis pub/sub that makes caches or sockets faster. A lost hint is repaired by something durable.
public protocol Hint: WireMessage {
    /// The Redis channel; it carries hints of this type only.
    static var redisChannel: String { get }
}
