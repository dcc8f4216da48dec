internal import Postgres
internal import Redis
internal import Synchronization
internal import Telemetry

/// The check while a part of a divided outbox is out of reach. It looks for the entries of all other parts.
extension LostEntryCheck {
    /// An entry of a row, and when it was published.
    private struct Published: Sendable {
        let entry: String
        let at: Int64
        let row: Int64

        /// Reads the columns entry, published_at, id.
        init(row: inout Row) throws(PostgresError) {
            entry = try row.next()
            at = try row.next()
            self.row = try row.next()
        }
    }

    /// The last entries of a part.
    private struct Part: Sendable {
        let workspaces: [Int64]
        let published: [Published]
    }

    func lastPublished(
        atMost limit: Int, in parts: any OutboxParts
    ) async throws -> (entries: [String], unseen: Set<Int64>) {
        let all = try await parts.attempt { tx in try await tx.query(Self.lastPublished, limit).map(Self.entry) }
        if let all { return (all, []) }
        let workspaces = try await parts.workspacesWithRows()
        let found = try await Self.last(limit, of: workspaces, in: parts)
        let latest = found.flatMap(\.published).sorted { ($0.at, $0.row) > ($1.at, $1.row) }
        return (latest.prefix(limit).map(\.entry), workspaces.subtracting(found.flatMap(\.workspaces)))
    }

    private static func last(
        _ limit: Int, of workspaces: Set<Int64>, in parts: any OutboxParts
    ) async throws -> [Part] {
        try await parts.find(among: workspaces) { tx, part in
            let rows = try await tx.query(OutboxPartStatements.lastPublished, limit, part)
            return [Part(workspaces: part, published: try rows.map(Published.init(row:)))]
        }
    }

    /// The workspaces with published rows. Those that are out of reach are missing, and are checked when they return, also if
    /// their part was lost after the last entries were read.
    func publishedWorkspaces(in parts: any OutboxParts) async throws -> [Int64] {
        let all: [Int64]? = try await parts.attempt { tx in
            guard let list = statements.publishedWorkspaces else { return [] }
            return try await tx.query(list).map(Self.workspace)
        }
        if let all { return all }
        let workspaces = try await parts.workspacesWithRows()
        let found = try await parts.find(among: workspaces) { tx, part in
            let published = try await tx.query(OutboxPartStatements.publishedWorkspaces, part).map(Self.workspace)
            return [(part: part, published: published)]
        }
        let unseen = workspaces.subtracting(found.flatMap(\.part))
        progress.withLock { $0.unseen.formUnion(unseen) }
        return found.flatMap(\.published)
    }

    /// Whether checks have left out workspaces. Their rows and entries must be kept until then.
    var hasUnseen: Bool { progress.withLock { !$0.unseen.isEmpty } }

    /// Checks the rows that earlier checks have left out, if they are within reach now.
    ///
    /// It looks for the entries of all kept rows: the part may have published any number of messages since it has returned, and their
    /// entries are there.
    ///
    /// A stream loses its last entries. So it had those before an entry that a check by the same connections has found, and may have
    /// been trimmed since.
    func checkUnseen() async throws {
        let (unseen, found) = progress.withLock { ($0.unseen, $0.found) }
        guard let parts, !unseen.isEmpty else { return }
        for part in try await parts.reachable(among: unseen) {
            let (isRead, lost) = try await findLost(of: part, after: found, in: parts)
            guard isRead else { continue }
            if let lost {
                let count = try await resetPublishedRows(ofPart: part)
                log.warning(
                    "redis has lost outbox entries; they are published again",
                    ["stream": .name(lost.name), "count": .count(count)])
            }
            progress.withLock { $0.unseen.subtract(part) }
        }
    }

    /// Looks for a stream that has lost an entry of a part.
    ///
    /// - Parameter found: for each stream, the entry up to which it has all.
    /// - Returns: whether the part was within reach, and the stream, if there is one.
    private func findLost(
        of workspaces: [Int64], after found: [RedisKey: RedisStreamEntry.ID], in parts: any OutboxParts
    ) async throws -> (isRead: Bool, stream: RedisKey?) {
        var (at, row): (Int64, Int64) = (0, 0)
        while true {
            let (time, last) = (at, row)
            let pages = try await parts.find(among: Set(workspaces)) { tx, part in
                let rows = try await tx.query(
                    OutboxPartStatements.publishedAfter, Self.checkedRows, part, time, last)
                return [Part(workspaces: part, published: try rows.map(Published.init(row:)))]
            }
            guard let page = pages.first?.published else { return (false, nil) }
            let places = page.map(\.entry).compactMap(streams.place).filter { $0.id > found[$0.key] ?? .zero }
            if let lost = try await firstLost(of: places) { return (true, lost) }
            guard page.count == Self.checkedRows, let end = page.last else { return (true, nil) }
            (at, row) = (end.at, end.row)
        }
    }

    /// The stream of the first of these entries that is lost.
    private func firstLost(of places: [(key: RedisKey, id: RedisStreamEntry.ID)]) async throws -> RedisKey? {
        let outcomes = await redis.runInBatches(
            places.map { RedisCommand("XRANGE", $0.key, $0.id.description, $0.id.description, "COUNT", 1) })
        for (place, outcome) in zip(places, outcomes) {
            if try outcome.get().array?.isEmpty ?? true { return place.key }
        }
        return nil
    }

    private func resetPublishedRows(ofPart workspaces: [Int64]) async throws -> Int {
        try await database.transaction { tx in
            var total = 0
            let published = try await tx.query(OutboxPartStatements.publishedWorkspaces, workspaces)
            for workspace in try published.map(Self.workspace) {
                total += try await resetPublishedRows(of: workspace, in: tx)
            }
            return total
        }
    }
}
