import Contract
import Postgres
import Wire

/// Writes a batch of changes in one transaction: locks their rooms as a send does, reads rooms and messages, lets a
/// `ChangePlan` decide, and writes its rows and one outbox row for all of them. This takes two round trips.
///
/// A statement is for all messages of the batch. It lists their workspaces, so that it needs one part of a schema that is divided by
/// workspace: there a batch is of one workspace.
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
                select count(*) from pin
                where pin.workspace = any($1::bigint[]) and pin.kind = room.kind and pin.room = room.id)
        from room join unnest((select $2::smallint[]), $3::bigint[]) as wanted (kind, id) using (kind, id)
        where workspace = any($1)
        """)
    /// A deletion changes the root of the message's thread as well. The planner does not know whether there is one, and keeps one plan.
    private static let messages = Statement.read(
        "messages to change",
        """
        with wanted as (
            select * from unnest((select $2::smallint[]), $3::bigint[], $4::bigint[]) as wanted (kind, room, seq)
        ), meant as (
            select * from wanted
            union
            select kind, room, thread from message join wanted using (kind, room, seq)
            where (select $5::boolean) and message.workspace = any($1::bigint[]) and thread is not null
        )
        select m.workspace, m.kind, m.room, m.seq, m.id, m.author, m.session, m.content, m.files, m.created_at, m.client_id,
            m.rev, m.edited_at, m.deleted_at, m.thread, m.is_aside, m.mentions, m.is_scheduled, exists (
                select from pin p
                where p.workspace = any($1) and p.kind = m.kind and p.room = m.room and p.seq = m.seq
            ), exists (
                select from thread t
                where t.workspace = any($1) and t.kind = m.kind and t.room = m.room and t.root = m.seq)
        from meant join message m on m.kind = meant.kind and m.room = meant.room and m.seq = meant.seq
        where m.workspace = any($1)
        """)
    /// By the messages, because a user can have many reactions. The order rules out the index by user.
    private static let reactions = Statement.read(
        "reactions to messages to change",
        """
        select workspace, wanted.kind, wanted.room, seq, emoji, count(*),
            coalesce(array_agg(user_id) filter (where user_id = any($5::bigint[])), '{}')
        from unnest((select $2::smallint[]), $3::bigint[], $4::bigint[]) as wanted (kind, room, number)
        cross join lateral (
            select workspace, seq, emoji, user_id from reaction
            where workspace = any($1::bigint[]) and kind = wanted.kind and room = wanted.room
                and seq between wanted.number and wanted.number
            order by seq
        ) as found
        group by workspace, wanted.kind, wanted.room, seq, emoji
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
        /// The messages of the batch as it has left them.
        let messages: [StoredMessage]
        let results: [Rows]
        /// The index of the result with the outbox row.
        let outbox: Int?
        /// The index of the first result with details of messages.
        let details: Int
    }

    private func writeAll(_ changes: [PendingChange], now: Timestamp) async throws -> Result {
        let written = try await database.transaction { tx -> Written in
            var (plan, stored) = try await self.plan(changes, now: now, in: tx)
            var verdicts: [ChangePlan.Verdict] = []
            for change in changes { verdicts.append(plan.apply(change)) }
            let writes = plan.finished()
            let messages = stored.map(plan.changed).sorted { ($0.room, $0.seq) < ($1.room, $1.seq) }
            var batch = PostgresBatch()
            let outbox = try ChangeRows.add(writes, to: &batch)
            let details = batch.count
            let detailed = messages.map(\.key).filter(plan.hasDetails)
            if !detailed.isEmpty { try MessageDetailStore.add(detailed, to: &batch) }
            let results = try await tx.commit(after: batch)
            return Written(
                plan: plan, verdicts: verdicts, writes: writes, messages: messages, results: results, outbox: outbox,
                details: details)
        }
        return try result(of: changes, written)
    }

    /// Locks the rooms and reads the messages that the changes are about, with the roots of the threads of deleted ones.
    private func plan(
        _ changes: [PendingChange], now: Timestamp, in tx: PostgresTransaction
    ) async throws -> (ChangePlan, [StoredMessage]) {
        let keys = Array(Set(changes.map(\.key)))
        let (workspaces, rooms) = (keys.distinctWorkspaces, Array(Set(keys.map(\.room))))
        let (kinds, ids, seqs) = ChangeRows.columns(keys)
        var batch = PostgresBatch()
        try batch.lock(rooms)
        try batch.add(Self.rooms, workspaces, rooms.map(\.kindNumber), rooms.map(\.rawValue))
        try batch.add(Self.messages, workspaces, kinds, ids, seqs, changes.contains { $0.kind == .delete })
        try batch.add(Self.reactions, workspaces, kinds, ids, seqs, Array(Set(changes.map(\.user))))
        let results = try await tx.run(batch)
        var stored: [StoredMessage] = []
        var messages: [MessageKey: ChangePlan.Message] = [:]
        for var row in results[2] {
            let message = try StoredMessage(room: try row.nextRoomKey(), row: &row)
            stored.append(message)
            messages[message.key] = ChangePlan.Message(
                message, isPinned: try row.next(), hasReplies: try row.next())
        }
        for var row in results[3] {
            let (key, emoji): (MessageKey, String) = (try row.nextMessageKey(), try row.next())
            messages[key]?.counts[emoji] = Int(try row.next(as: Int64.self))
            for user in try row.next(as: [UserID].self) {
                messages[key]?.reactions.insert(ChangePlan.Reaction(emoji: emoji, user: user))
            }
        }
        let plan = ChangePlan(rooms: try Self.rooms(results[1]), messages: messages, limits: limits, now: now)
        return (plan, stored)
    }

    private static func rooms(_ rows: Rows) throws(PostgresError) -> [RoomID: ChangePlan.Room] {
        let found = try rows.map { row throws(PostgresError) in
            (
                try row.nextRoomKey().id,
                ChangePlan.Room(
                    rev: try row.next(), isClosed: try row.next(), pins: Int(try row.next(as: Int64.self)))
            )
        }
        return Dictionary(found) { first, _ in first }
    }

    private func result(of changes: [PendingChange], _ written: Written) throws -> Result {
        var messages = written.messages
        try MessageDetailStore.fill(&messages, from: written.results.dropFirst(written.details))
        let byKey = Dictionary(messages.map { ($0.key, $0) }) { first, _ in first }
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
            try written.results[index].first { row throws(PostgresError) in try row.next(as: Int64.self) }
        }
        return Result(
            outcomes: outcomes, changed: messages.filter { written.writes.revs[$0.key] != nil }, outboxRow: row)
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
