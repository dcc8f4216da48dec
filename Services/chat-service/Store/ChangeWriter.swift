import Contract
import Postgres
import Wire

/// Writes a batch of changes in one transaction: locks their rooms as a send does, reads rooms and messages, lets a
/// `ChangePlan` decide, and writes its rows and one outbox row for all of them. This takes two round trips.
struct ChangeWriter: Sendable {
    let database: PostgresPool
    let limits: ChangeLimits

    /// The outcome of each change in order, and the changed messages with the id of the outbox row that lists them.
    struct Result: Sendable {
        var outcomes: [ChangeOutcome]
        var changed: [StoredMessage]
        var outboxRow: Int64?
    }

    private static let rooms = Statement.read(
        "rooms to change",
        """
        select workspace, kind, id, rev, is_closed, (
                select count(*) from pin where pin.workspace = $1 and pin.kind = room.kind and pin.room = room.id)
        from room join unnest($2::smallint[], $3::bigint[]) as wanted (kind, id) using (kind, id)
        where workspace = $1
        """)
    private static let messages = Statement.read(
        "messages to change",
        """
        with wanted as (
            select * from unnest($2::smallint[], $3::bigint[], $4::bigint[]) as wanted (kind, room, seq)
        ), meant as (
            select * from wanted
            union
            select kind, room, thread from message join wanted using (kind, room, seq)
            where message.workspace = $1 and thread is not null
        )
        select $1::bigint, kind, room, seq, author, created_at, content, files, edited_at, deleted_at, pin.seq is not null,
            thread, coalesce(mentions, '{}')
        from message join meant using (kind, room, seq)
            left join (select kind, room, seq from pin where workspace = $1) as pin using (kind, room, seq)
        where message.workspace = $1
        """)
    private static let counts = Statement.read(
        "counts of reactions",
        """
        select workspace, kind, room, seq, emoji, count(*)
        from reaction join unnest($2::smallint[], $3::bigint[], $4::bigint[]) as wanted (kind, room, seq)
            using (kind, room, seq)
        where workspace = $1
        group by workspace, kind, room, seq, emoji
        """)
    /// By the messages, because a user can have many reactions. The order rules out the index by user.
    private static let own = Statement.read(
        "reactions of changing users",
        """
        select $1::bigint, kind, room, wanted.seq, emoji, user_id
        from unnest($2::smallint[], $3::bigint[], $4::bigint[]) as wanted (kind, room, seq)
        cross join lateral (
            select emoji, user_id from reaction r
            where workspace = $1 and r.kind = wanted.kind and r.room = wanted.room
                and seq between wanted.seq and wanted.seq and user_id = any($5::bigint[])
            order by seq
        ) as own
        """)
    /// Writes all changes or none.
    func write(_ changes: [PendingChange], now: Timestamp) async throws(BatchFailure) -> Result {
        do {
            return try await writeAll(changes, now: now)
        } catch {
            throw BatchFailure(error)
        }
    }

    /// The results of a transaction.
    private struct Written: Sendable {
        let plan: ChangePlan
        let verdicts: [ChangePlan.Verdict]
        let writes: ChangeWrites
        let results: [Rows]
        /// The index of the result with the outbox row.
        let outbox: Int?
        /// The number of workspaces of the shown messages.
        let shown: Int
    }

    private func writeAll(_ changes: [PendingChange], now: Timestamp) async throws -> Result {
        let keys = Array(Set(changes.map(\.key)))
        let written = try await database.transaction { tx -> Written in
            var plan = try await self.plan(changes, keys, now: now, in: tx)
            var verdicts: [ChangePlan.Verdict] = []
            for change in changes { verdicts.append(plan.apply(change)) }
            let writes = plan.finished()
            var batch = PostgresBatch()
            let outbox = try ChangeRows.add(writes, to: &batch)
            let shown = Array(Set(keys).union(writes.revs.keys))
            try MessageStore.add(shown, to: &batch)
            try MessageDetailStore.add(shown, to: &batch)
            let results = try await tx.commit(after: batch)
            return Written(
                plan: plan, verdicts: verdicts, writes: writes, results: results, outbox: outbox,
                shown: Set(shown.map(\.workspace)).count)
        }
        return try result(of: changes, written)
    }

    /// Locks the rooms and reads the messages that the changes are about, with the roots of their threads.
    private func plan(
        _ changes: [PendingChange], _ keys: [MessageKey], now: Timestamp, in tx: PostgresTransaction
    ) async throws -> ChangePlan {
        let users = Array(Set(changes.map(\.user)))
        // Only reactions are counted against a limit.
        let reacts = changes.contains { if case .react = $0.kind { true } else { false } }
        // The statements that read the messages of one workspace.
        let reads = reacts ? 4 : 3
        var batch = PostgresBatch()
        try batch.lock(Array(Set(keys.map(\.room))))
        for (workspace, keys) in keys.byWorkspace {
            let rooms = Array(Set(keys.map(\.roomKey)))
            let (kinds, ids, seqs) = ChangeRows.columns(keys)
            try batch.add(Self.rooms, workspace, rooms.map(\.kindNumber), rooms.map(\.rawValue))
            try batch.add(Self.messages, workspace, kinds, ids, seqs)
            try batch.add(Self.own, workspace, kinds, ids, seqs, users)
            if reacts { try batch.add(Self.counts, workspace, kinds, ids, seqs) }
        }
        let results = try await tx.run(batch)
        var rooms: [RoomID: ChangePlan.Room] = [:]
        var messages: [MessageKey: ChangePlan.Message] = [:]
        for first in stride(from: 1, to: results.count, by: reads) {
            try Self.read(results[first], into: &rooms)
            try Self.read(Array(results[(first + 1)...].prefix(reads - 1)), into: &messages)
        }
        return ChangePlan(rooms: rooms, messages: messages, limits: limits, now: now)
    }

    private static func read(_ rows: Rows, into rooms: inout [RoomID: ChangePlan.Room]) throws {
        for var row in rows {
            rooms[try row.nextRoomKey().id] = ChangePlan.Room(
                rev: try row.next(), isClosed: try row.next(), pins: Int(try row.next(as: Int64.self)))
        }
    }

    /// - Parameter results: messages, the reactions of users, and the counts of reactions if they were asked for.
    private static func read(_ results: [Rows], into messages: inout [MessageKey: ChangePlan.Message]) throws {
        for var row in results[0] {
            messages[try row.nextMessageKey()] = ChangePlan.Message(
                author: try row.next(), createdAt: try row.next(), content: try row.next(), files: try row.next(),
                editedAt: try row.next(), deletedAt: try row.next(), isPinned: try row.next(), root: try row.next(),
                mentions: try row.next(as: [Int64].self).map(MessageMention.init(number:)))
        }
        for var row in results[1] {
            let key = try row.nextMessageKey()
            messages[key]?.reactions.insert(ChangePlan.Reaction(emoji: try row.next(), user: try row.next()))
        }
        for rows in results.dropFirst(2) {
            for var row in rows {
                let (key, emoji): (MessageKey, String) = (try row.nextMessageKey(), try row.next())
                messages[key]?.counts[emoji] = Int(try row.next(as: Int64.self))
            }
        }
    }

    private func result(of changes: [PendingChange], _ written: Written) throws -> Result {
        let results = written.results
        // The shown messages and their details are read last, for each workspace.
        let shown = results.suffix(written.shown * (1 + MessageDetailStore.count))
        var found = try shown.prefix(written.shown).flatMap(MessageStore.read)
        try MessageDetailStore.fill(&found, from: shown.dropFirst(written.shown))
        let byKey = Dictionary(found.map { ($0.key, $0) }) { first, _ in first }
        var outcomes: [ChangeOutcome] = []
        for (change, verdict) in zip(changes, written.verdicts) {
            switch verdict {
            case .refused(let failure): outcomes.append(.refused(failure))
            case .accepted(let erased):
                let mine = written.plan.emojis(of: change.user, on: change.key)
                outcomes.append(
                    byKey[change.key].map { .done($0.marking(mine), erasedFiles: erased) } ?? .refused(.notFound))
            }
        }
        let row = try written.outbox.flatMap { index in
            try results[index].first { row throws(PostgresError) in try row.next(as: Int64.self) }
        }
        return Result(
            outcomes: outcomes, changed: found.filter { written.writes.revs[$0.key] != nil }, outboxRow: row)
    }
}

extension StoredMessage {
    /// The same message for a reader that has reacted with these emojis.
    fileprivate func marking(_ emojis: Set<String>) -> StoredMessage {
        var marked = self
        marked.details.reactions = details.reactions.map { $0.marked(emojis.contains($0.emoji)) }
        return marked
    }
}
