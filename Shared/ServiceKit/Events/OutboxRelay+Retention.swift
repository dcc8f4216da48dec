internal import Postgres
internal import Redis
internal import Wire

extension OutboxRelay {
    private static let batch = 500

    /// A published row that is old.
    private struct OldRow: Sendable {
        let id: Int64
        let entry: String
        let workspace: Int64
        let publishedAt: Int64

        /// Reads the columns id, entry, workspace, published_at.
        init(row: inout Row) throws(PostgresError) {
            id = try row.next()
            entry = try row.next()
            workspace = try row.next()
            publishedAt = try row.next()
        }
    }

    /// Deletes published rows that are older than their retention and that every consumer group has acknowledged, and
    /// trims the streams before them. If a stream has no group only the age counts. A stream with an entry that is not acknowledged
    /// keeps its own rows and not those of other streams.
    ///
    /// While a part of a divided outbox is out of reach, rows and entries are kept as long as without a group: the entries of its rows
    /// should still be there when it returns, and until they are checked.
    func deleteOldRows() async throws {
        var done: [RedisKey: RedisStreamEntry.ID] = [:]
        for stream in streams.keys { done[stream] = try await acknowledged(in: stream) }
        let isEarly = done.count < streams.keys.count || lostEntries.hasUnseen
        let age = isEarly ? retention.unread : retention.acknowledged
        if try await deleteOldRows(of: nil, age: age, before: done) { return }
        guard let parts else { return }
        for part in try await parts.reachable(among: try await parts.workspacesWithRows()) {
            _ = try await deleteOldRows(of: part, age: retention.unread, before: done)
        }
    }

    /// Deletes the old rows of a part; nil for all. Returns whether they were within reach.
    private func deleteOldRows(
        of part: [Int64]?, age: Duration, before done: [RedisKey: RedisStreamEntry.ID]
    ) async throws -> Bool {
        // The patterns of the streams that keep rows.
        var keeping: Set<String> = []
        // Rows that are kept were read once: the next query begins after them.
        var begin: Int64 = 0
        while !Task.isCancelled {
            guard let old = try await oldRows(of: part, age: age, except: keeping, from: begin) else { return false }
            let rows = old.map { (row: $0, place: streams.place($0.entry)) }
            begin = old.last?.publishedAt ?? begin
            let deletable = rows.filter { row in
                guard let place = row.place, let done = done[place.key] else { return true }
                return place.id < done
            }
            var newest: [RedisKey: RedisStreamEntry.ID] = [:]
            for place in deletable.compactMap(\.place) { newest[place.key] = max(place.id, newest[place.key] ?? .zero) }
            if !newest.isEmpty {
                for (workspace, rows) in Dictionary(grouping: deletable, by: \.row.workspace) {
                    try await database.execute(statements.delete, rows.map(\.row.id), workspace)
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
            guard isFull, keeping.count > known || (deletable.count == Self.batch && !newest.isEmpty) else { break }
        }
        return true
    }

    /// Reads old rows of a part, or of all; nil if one of all parts is out of reach.
    private func oldRows(
        of part: [Int64]?, age: Duration, except keeping: Set<String>, from begin: Int64
    ) async throws -> [OldRow]? {
        let (age, patterns, old) = (age.wholeMilliseconds, keeping.sorted(), statements.old)
        guard let parts else {
            return try await database.query(old, Self.batch, age, patterns, begin).map(OldRow.init(row:))
        }
        guard let part else {
            return try await parts.attempt { tx in
                try await tx.query(old, Self.batch, age, patterns, begin).map(OldRow.init(row:))
            }
        }
        return try await parts.find(among: Set(part)) { tx, part in
            try await tx.query(OutboxPartStatements.old, Self.batch, age, patterns, begin, part)
                .map(OldRow.init(row:))
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
