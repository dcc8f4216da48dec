import Contract
import Redis
import Wire

/// The right to publish a read marker, shared by all instances: one event a second for each member and room.
struct ReadClaims: Sendable {
    enum Answer: Sendable {
        case granted
        /// Another instance has just published this marker, or a later one.
        case known
        /// Another instance has just published an earlier marker.
        case later
    }

    let redis: Redis

    private static let milliseconds = 1000

    /// Answers each marker in order. Without Redis all are granted, as nothing is published then.
    func claim(_ markers: [(key: ReadCoalescer.Key, seq: Int64)]) async -> [Answer] {
        let outcomes = await redis.runInBatches(
            markers.map { key, seq in
                RedisCommand("SET", Self.name(key), seq, "NX", "GET", "PX", Self.milliseconds)
            })
        return zip(markers, outcomes).map { marker, outcome in
            guard let published = (try? outcome.get())?.text.flatMap({ Int64($0) }) else { return .granted }
            return published >= marker.seq ? .known : .later
        }
    }

    private static func name(_ key: ReadCoalescer.Key) -> RedisKey { "read:\(key.user):\(key.room.description)" }
}
