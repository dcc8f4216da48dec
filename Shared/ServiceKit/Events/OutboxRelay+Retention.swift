internal import Postgres
internal import Redis
internal import Wire

extension OutboxRelay {
    private static let batch = 500

    /// Deletes published rows that are older than their retention and that every consumer group has acknowledged, and
    /// trims the streams before them. If a stream has no group only the age counts. A stream with an entry that is not acknowledged
    /// keeps its own rows and not those of other streams.
    func deleteOldRows() async throws {
        var done: [RedisKey: RedisStreamEntry.ID] = [:]
        for stream in streams.keys { done[stream] = try await acknowledged(in: stream) }
        let age = done.count < streams.keys.count ? retention.unread : retention.acknowledged
        // The patterns of the streams that keep rows.
        var keeping: Set<String> = []
        // Rows that are kept were read once: the next query begins behind them.
        var begin: Int64 = 0
        while !Task.isCancelled {
            let old = try await database.query(
                statements.old, Self.batch, age.wholeMilliseconds, keeping.sorted(), begin)
            let rows = try old.map { row throws(PostgresError) in
                (
                    id: try row.next(as: Int64.self), place: streams.place(try row.next(as: String.self)),
                    workspace: try row.next(as: Int64.self), publishedAt: try row.next(as: Int64.self)
                )
            }
            begin = rows.last?.publishedAt ?? begin
            let deletable = rows.filter { row in
                guard let place = row.place, let done = done[place.key] else { return true }
                return place.id < done
            }
            var newest: [RedisKey: RedisStreamEntry.ID] = [:]
            for place in deletable.compactMap(\.place) { newest[place.key] = max(place.id, newest[place.key] ?? .zero) }
            if !newest.isEmpty {
                for (workspace, rows) in Dictionary(grouping: deletable, by: \.workspace) {
                    try await database.execute(statements.delete, rows.map(\.id), workspace)
                }
                for (stream, id) in newest { try await redis.trimStream(stream, before: id) }
            }
            let (isFull, known) = (rows.count == Self.batch, keeping.count)
            for place in rows.compactMap(\.place) {
                guard let end = done[place.key], place.id >= end, let pattern = streams.pattern(of: place.key) else {
                    continue
                }
                keeping.insert(pattern)
            }
            // Otherwise the next query would find the same rows.
            guard isFull, keeping.count > known || (deletable.count == Self.batch && !newest.isEmpty) else { return }
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
