internal import Postgres
internal import Redis
internal import Wire

extension OutboxRelay {
    private static let batch = 500
    private static let old = Statement.read(
        "old outbox rows",
        """
        select id, entry from outbox
        where published_at < (extract(epoch from now()) * 1000)::bigint - $2 order by published_at limit $1
        """)
    private static let delete = Statement.write("delete outbox rows", "delete from outbox where id = any($1::bigint[])")

    /// Deletes published rows that are older than their retention and that every consumer group has acknowledged, and
    /// trims the streams before them. If a stream has no group only the age counts.
    func deleteOldRows() async throws {
        var done: [RedisKey: RedisStreamEntry.ID] = [:]
        for stream in streams.keys { done[stream] = try await acknowledged(in: stream) }
        let age = done.count < streams.keys.count ? retention.unread : retention.acknowledged
        while !Task.isCancelled {
            let old = try await database.query(Self.old, Self.batch, age.wholeMilliseconds)
            let rows = try old.map { row throws(PostgresError) in
                (id: try row.next(as: Int64.self), place: streams.place(try row.next(as: String.self)))
            }
            let deletable = rows.filter { row in
                guard let place = row.place, let done = done[place.key] else { return true }
                return place.id < done
            }
            var newest: [RedisKey: RedisStreamEntry.ID] = [:]
            for place in deletable.compactMap(\.place) { newest[place.key] = max(place.id, newest[place.key] ?? .zero) }
            guard !newest.isEmpty else { return }
            try await database.execute(Self.delete, deletable.map(\.id))
            for (stream, id) in newest { try await redis.trimStream(stream, before: id) }
            if deletable.count < Self.batch { return }
        }
    }

    /// The id before which every group has acknowledged all entries; nil if there is no group.
    private func acknowledged(in stream: RedisKey) async throws -> RedisStreamEntry.ID? {
        let groups = try await redis.groups(ofStream: stream)
        var done = groups.map(\.lastDelivered).min()
        for group in groups where group.pending > 0 {
            if let oldest = try await redis.pending(ofStream: stream, group: group.name, limit: 1).first {
                done = done.map { min($0, oldest.id) }
            }
        }
        return done
    }
}
