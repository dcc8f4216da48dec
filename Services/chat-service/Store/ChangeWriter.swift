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
        select kind, id, rev, is_closed, (
                select count(*) from pin
                where pin.workspace = room.workspace and pin.kind = room.kind and pin.room = room.id)
        from room join unnest($1::bigint[], $2::smallint[], $3::bigint[]) as wanted (workspace, kind, id)
            using (workspace, kind, id)
        """)
    private static let messages = Statement.read(
        "messages to change",
        """
        with wanted as (
            select * from unnest($1::bigint[], $2::smallint[], $3::bigint[], $4::bigint[])
                as wanted (workspace, kind, room, seq)
        ), meant as (
            select * from wanted
            union
            select workspace, kind, room, thread from message join wanted using (workspace, kind, room, seq)
            where thread is not null
        )
        select workspace, kind, room, seq, author, created_at, content, files, edited_at, deleted_at, pin.seq is not null,
            thread, coalesce(mentions, '{}')
        from message join meant using (workspace, kind, room, seq) left join pin using (workspace, kind, room, seq)
        """)
    private static let counts = Statement.read(
        "counts of reactions",
        """
        select workspace, kind, room, seq, emoji, count(*)
        from reaction join unnest($1::bigint[], $2::smallint[], $3::bigint[], $4::bigint[])
            as wanted (workspace, kind, room, seq) using (workspace, kind, room, seq)
        group by workspace, kind, room, seq, emoji
        """)
    private static let own = Statement.read(
        "reactions of users",
        """
        select workspace, kind, room, seq, emoji, user_id
        from reaction join unnest($1::bigint[], $2::smallint[], $3::bigint[], $4::bigint[])
            as wanted (workspace, kind, room, seq) using (workspace, kind, room, seq)
        where user_id = any($5::bigint[])
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
        let rooms = Array(Set(keys.map(\.roomKey)))
        let (workspaces, kinds, ids, seqs) = ChangeRows.columns(keys)
        var batch = PostgresBatch()
        try batch.lock(rooms.map(\.id))
        try batch.add(Self.rooms, rooms.map(\.workspace), rooms.map(\.kindNumber), rooms.map(\.rawValue))
        try batch.add(Self.messages, workspaces, kinds, ids, seqs)
        try batch.add(Self.counts, workspaces, kinds, ids, seqs)
        try batch.add(Self.own, workspaces, kinds, ids, seqs, Array(Set(changes.map(\.user))))
        let results = try await tx.run(batch)
        var messages: [MessageKey: ChangePlan.Message] = [:]
        for var row in results[2] {
            messages[try row.nextMessageKey()] = ChangePlan.Message(
                author: try row.next(), createdAt: try row.next(), content: try row.next(), files: try row.next(),
                editedAt: try row.next(), deletedAt: try row.next(), isPinned: try row.next(), root: try row.next(),
                mentions: try row.next(as: [Int64].self).map(MessageMention.init(number:)))
        }
        for var row in results[3] {
            let (key, emoji): (MessageKey, String) = (try row.nextMessageKey(), try row.next())
            messages[key]?.counts[emoji] = Int(try row.next(as: Int64.self))
        }
        for var row in results[4] {
            let key = try row.nextMessageKey()
            messages[key]?.reactions.insert(ChangePlan.Reaction(emoji: try row.next(), user: try row.next()))
        }
        let known = try results[1].map { row throws(PostgresError) in
            (
                try row.nextRoom(),
                ChangePlan.Room(
                    rev: try row.next(), isClosed: try row.next(), pins: Int(try row.next(as: Int64.self)))
            )
        }
        return ChangePlan(
            rooms: Dictionary(uniqueKeysWithValues: known), messages: messages, limits: limits, now: now)
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
