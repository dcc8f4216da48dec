import Redis

/// Deletes the consumer groups of the streams of pushes while push is off. chat-service keeps what a group has not acknowledged, in Redis
/// and in its outbox, so a group from the time when push was on would let both grow without end.
struct UnusedPushGroups: Sendable {
    let redis: Redis
    let streams: [RedisKey]
    let group: String
    /// A group whose consumers have not asked for so long is deleted. Pushes that waited longer are not sent either, if another instance
    /// has push on and comes back.
    var idleLimit = PushRetryPolicy.lifetime

    func delete() async throws {
        guard redis.state.isConnected else { return }
        for stream in streams {
            let consumers = try await redis.consumers(ofStream: stream, group: group)
            guard consumers.allSatisfy({ $0.idle > idleLimit }) else { continue }
            try await redis.deleteGroup(group, ofStream: stream)
        }
    }
}
