import Contract
import Postgres
import Wire

/// Writes a batch of messages in one transaction: locks their rooms, numbers the messages after the rooms' heads, and
/// writes one outbox row for all of them. The statements are pipelined in one round trip, which commits at its end.
///
/// Messages with a `clientID` and replies cost one more round trip: under the locks, it looks for earlier messages with
/// the same key, and for the threads of the replies.
struct MessageWriter: Sendable {
    let database: PostgresPool
    /// Whether the schema is divided by workspace. Then the messages of a batch are of one workspace, and each of its statements
    /// changes one table.
    var isDivided = false

    /// The smallest difference between the times of two messages of a room, in milliseconds.
    static let spacing: Int64 = 2
    /// How far a room's clock may run ahead of the real one, in milliseconds. Beyond that the room is overloaded. Beyond twice
    /// of that, which a batch cannot reach, the real clock was set back: the room goes on from its own time, in order.
    static let maxLead: Int64 = 1000

    private static let make = Statement.write(
        "make rooms",
        """
        insert into room (kind, id, workspace, name)
        select * from unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::text[]) order by 1, 2
        on conflict do nothing
        """)
    private static let find = Statement.read(
        "find named messages",
        """
        select ordinal, message.deleted_at is not null or message.digest = pending.digest, id, seq, created_at, files,
            rev
        from unnest($1::bigint[], $2::smallint[], $3::bigint[], $4::bigint[], $5::text[], $6::bytea[]) with ordinality
            as pending (workspace, kind, room, author, client_id, digest, ordinal)
        join message using (workspace, kind, room, author, client_id)
        """)
    private static let closed = Statement.read(
        "closed rooms",
        """
        select kind, id from room join unnest($2::smallint[], $3::bigint[]) as wanted (kind, id) using (kind, id)
        where workspace = $1 and is_closed
        """)

    /// The outcome of each message in order, and the id of the outbox row that lists the new ones.
    struct Result: Sendable {
        var outcomes: [SendOutcome]
        var outboxRow: Int64?
        /// The roots of the threads of new replies, and the id of the outbox row that lists them.
        var roots: [StoredMessage] = []
        var rootsRow: Int64?
    }

    /// The results of the transaction that wrote messages with names or replies.
    private struct Written: Sendable {
        /// The written messages in their order.
        let order: BatchOrder
        let plan: ThreadPlan
        let results: [Rows]
        /// The outcomes of the other messages, by index.
        let outcomes: [Int: SendOutcome]
    }

    /// Writes all messages or none. No two may have the same room, author and `clientID`.
    ///
    /// - Parameter newRooms: whether some rooms may not be in the table yet.
    func write(_ messages: [PendingMessage], newRooms: Bool, now: Timestamp) async throws(BatchFailure) -> Result {
        do {
            if isDivided { return try await writeDivided(messages, newRooms: newRooms, now: now) }
            return try await writeAll(messages, newRooms: newRooms, now: now)
        } catch {
            throw BatchFailure(error)
        }
    }

    private func writeAll(_ messages: [PendingMessage], newRooms: Bool, now: Timestamp) async throws -> Result {
        let all = BatchOrder(messages)
        var batch = PostgresBatch()
        if newRooms { try Self.addRooms(of: all, to: &batch) }
        try batch.lock(all.rooms)
        if messages.allSatisfy({ $0.clientID == nil && $0.reply == nil }) {
            try MessageRows.add(all, at: now, to: &batch)
            return try await result(of: all, try await database.run(batch).last, [:])
        }
        let locks = batch
        let written = try await database.transaction { tx in
            try await self.write(messages, after: locks, now: now, in: tx)
        }
        var result = try await result(of: written.order, written.results.first, written.outcomes)
        if !written.plan.roots.isEmpty { try Self.read(written.results, into: &result) }
        return result
    }

    private func write(
        _ messages: [PendingMessage], after locks: PostgresBatch, now: Timestamp, in tx: PostgresTransaction
    ) async throws -> Written {
        var batch = locks
        let (hasNames, hasReplies) = (messages.contains { $0.clientID != nil }, messages.contains { $0.reply != nil })
        if hasNames { try Self.addLookup(of: messages, to: &batch) }
        if hasReplies { try ThreadRows.addLookup(of: messages, to: &batch) }
        let found = try await tx.run(batch).suffix(batch.count - locks.count)
        let (outcomes, targets) = try Self.decided(
            messages, named: hasNames ? found.first : nil, replied: hasReplies ? found.last : nil)
        let order = BatchOrder(messages) { outcomes[$0] == nil }
        let plan = ThreadPlan(order, targets)
        var writing = PostgresBatch()
        try MessageRows.add(order, at: now, roots: targets.mapValues(\.root), to: &writing)
        if !plan.roots.isEmpty {
            try ThreadRows.add(plan, to: &writing)
            try MessageStore.add(plan.roots.map(\.key), to: &writing)
            try MessageDetailStore.add(plan.roots.map(\.key), to: &writing)
        }
        let results = try await tx.commit(after: writing)
        return Written(order: order, plan: plan, results: results, outcomes: outcomes)
    }

    // MARK: Statements

    static func addRooms(of order: BatchOrder, to batch: inout PostgresBatch) throws {
        let firsts = order.firsts
        try batch.add(
            make, firsts.map(\.room.kindNumber), firsts.map(\.room.rawValue), firsts.map(\.workspace),
            firsts.map(\.roomName))
    }

    private static func addLookup(of messages: [PendingMessage], to batch: inout PostgresBatch) throws {
        try batch.add(
            find, messages.map(\.workspace), messages.map(\.room.kindNumber), messages.map(\.room.rawValue),
            messages.map(\.author), messages.map(\.clientID), messages.map(\.digest))
    }

    // MARK: Results

    /// The outcomes of messages that are not to be written, by the message's index, and the messages that the others reply to.
    ///
    /// - Parameters:
    ///   - named: the result of the look-up of names, if there is one.
    ///   - replied: that of the look-up of threads.
    static func decided(
        _ messages: [PendingMessage], named: Rows?, replied: Rows?
    ) throws -> (outcomes: [Int: SendOutcome], targets: [MessageKey: ThreadPlan.Target]) {
        var outcomes = try named.map(known) ?? [:]
        let targets = try replied.map(ThreadRows.targets) ?? [:]
        for (index, message) in messages.enumerated() where outcomes[index] == nil {
            if let key = message.repliedKey, targets[key]?.isOpen != true { outcomes[index] = .noThread }
        }
        return (outcomes, targets)
    }

    /// The outcomes of messages with a `clientID` that was used before, by the message's index.
    private static func known(_ rows: Rows) throws -> [Int: SendOutcome] {
        var known: [Int: SendOutcome] = [:]
        for var row in rows {
            let index = Int(try row.next(as: Int64.self)) - 1
            let isSame = try row.next(as: Bool?.self) ?? false
            let written = SendOutcome.Written(
                id: try row.next(), seq: try row.next(), createdAt: try row.next(), files: try row.next(),
                rev: try row.next())
            known[index] = isSame ? .known(written) : .conflicting
        }
        return known
    }

    /// - Parameters:
    ///   - rows: the written messages of `order`, in its order.
    ///   - known: the outcomes of the other messages, by index.
    private func result(of order: BatchOrder, _ rows: Rows?, _ known: [Int: SendOutcome]) async throws -> Result {
        guard let rows else { throw Failure.serverError }
        var outcomes = known
        var outboxRow: Int64?
        var refused: [Int] = []
        var next = 0
        for var row in rows {
            let room = try row.nextRoom()
            // The messages skipped here are in rooms that accepted none.
            while next < order.messages.count, order.messages[next].room != room {
                refused.append(next)
                next += 1
            }
            guard next < order.messages.count else { throw Failure.serverError }
            outcomes[order.indices[next]] = .written(
                SendOutcome.Written(
                    id: try row.next(), seq: try row.next(), createdAt: try row.next(),
                    files: order.messages[next].files, root: try row.next()))
            outboxRow = try row.next()
            next += 1
        }
        refused += next..<order.messages.count
        let reasons = await reasons(of: refused.map { order.messages[$0].roomKey })
        for (index, reason) in zip(refused, reasons) { outcomes[order.indices[index]] = reason }
        return Result(outcomes: (0..<outcomes.count).compactMap { outcomes[$0] }, outboxRow: outboxRow)
    }

    /// Reads the roots of threads, as the new replies have left them.
    private static func read(_ results: [Rows], into result: inout Result) throws {
        result.rootsRow = try results[1].first { row throws(PostgresError) in try row.next(as: Int64.self) }
        guard result.rootsRow != nil else { return }
        let rest = results.dropFirst(2)
        result.roots = try rest.prefix(1).flatMap(MessageStore.read)
        try MessageDetailStore.fill(&result.roots, from: rest.dropFirst())
    }

    /// The reasons why rooms have accepted no message. The others are committed, so a failure here must not fail the batch. Reported
    /// as overloaded, a message to a closed room is sent again and refused then.
    func reasons(of rooms: [RoomKey]) async -> [SendOutcome] {
        if rooms.isEmpty { return [] }
        let closed = (try? await closed(Set(rooms))) ?? []
        return rooms.map { closed.contains($0.id) ? .closed : .overloaded }
    }

    private func closed(_ rooms: Set<RoomKey>) async throws -> Set<RoomID> {
        var batch = PostgresBatch()
        for (workspace, rooms) in Dictionary(grouping: rooms, by: \.workspace) {
            try batch.add(Self.closed, workspace, rooms.map(\.kindNumber), rooms.map(\.rawValue))
        }
        return Set(
            try await database.run(batch).flatMap { rows throws(PostgresError) in
                try rows.map { row throws(PostgresError) in try row.nextRoom() }
            })
    }
}

extension BatchFailure {
    init(_ error: any Error) {
        guard let postgres = error as? PostgresError else {
            self = .unknown(error)
            return
        }
        self =
            switch postgres.kind {
            case .server, .invalidParameter: .rejected(error)
            case .connectionLost, .timeout, .cancelled, .unexpectedColumn: .unknown(error)
            default: .notSent(error)
            }
    }
}
