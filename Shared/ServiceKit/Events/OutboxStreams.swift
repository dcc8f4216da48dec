public import Redis

/// The streams that an outbox is relayed to. A row goes to one of them, and the column `entry` says where it is.
public struct OutboxStreams: Sendable {
    public let keys: [RedisKey]

    /// One stream.
    public init(_ key: RedisKey) { keys = [key] }

    init(_ keys: [RedisKey]) { self.keys = keys }

    /// The stream of pushes. In a cluster there are sixteen, so that all masters share the work.
    public static func pushes(in redis: Redis) -> OutboxStreams {
        redis.isCluster ? OutboxStreams(tags.map { RedisKey("push:{\($0)}") }) : OutboxStreams("push")
    }

    /// Names with hash slots that are spread evenly: the first is in the first sixteenth of all slots, and so on.
    static let tags = [10, 3, 61, 43, 11, 2, 60, 42, 12, 1, 63, 41, 13, 0, 62, 40]

    /// The stream of a row.
    public func key(ofRow row: Int64) -> RedisKey { keys[Int(row.magnitude % UInt64(keys.count))] }

    /// The place of an entry, as its row has it: its id, and before it the number of the stream if there are several.
    public func position(of entry: String, in key: RedisKey) -> String {
        guard keys.count > 1, let index = keys.firstIndex(of: key) else { return entry }
        return "\(index):\(entry)"
    }

    /// Matches the places of the entries of a stream, as their rows have them. Nil if there is one stream.
    func pattern(of key: RedisKey) -> String? {
        guard keys.count > 1, let index = keys.firstIndex(of: key) else { return nil }
        return "\(index):%"
    }

    /// The place of an entry, as its row has it; nil for other text. An id alone is one of the first stream.
    func place(_ position: String) -> (key: RedisKey, id: RedisStreamEntry.ID)? {
        let parts = position.split(separator: ":", maxSplits: 1)
        guard let id = parts.last.flatMap({ RedisStreamEntry.ID(String($0)) }) else { return nil }
        guard parts.count == 2 else { return (keys[0], id) }
        guard let index = Int(parts[0]), keys.indices.contains(index) else { return nil }
        return (keys[index], id)
    }
}
