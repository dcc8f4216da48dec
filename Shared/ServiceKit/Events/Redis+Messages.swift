public import Contract
public import Redis
public import Wire

extension Redis {
    /// Publishes a hint without waiting for the reply. A hint that Redis does not receive is lost.
    public func publish<Message: Hint>(_ hint: Message) { self.hint(hint.encoded(), to: Message.redisChannel) }
}

extension RedisCommand {
    /// Publishes an event to the gateways that serve its room.
    public static func publish(_ event: RoomEvent) -> RedisCommand { publish(event.encoded(), in: event.room) }

    /// Publishes an encoded event to the gateways that serve its room.
    public static func publish(_ encoded: [UInt8], in room: RoomID) -> RedisCommand {
        publish(encoded, toShardChannel: RoomEvent.channel(of: room))
    }
}
