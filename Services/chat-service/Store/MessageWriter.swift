import Contract
import Postgres
import Wire

/// Writes drafts, many in one transaction: locks their rooms, numbers the drafts behind what the rooms hold then, and writes
/// one row of the outbox for all of them. It travels together, the commit happens with the sync behind it, and a result that
/// has come is a result that stays.
///
/// Where drafts are named there is a round trip more: what came under their names before is looked for under the locks.
struct MessageWriter: Sendable {
    let database: PostgresPool

    /// Messages of one room are at least so far apart, in milliseconds.
    static let spacing: Int64 = 2
    /// How far a room's clock may run ahead of the real one before it takes nothing more, in milliseconds.
    static let longestLead: Int64 = 1000

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
        select place, message.digest = draft.digest, id, seq, created_at, files
        from unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::text[], $5::bytea[]) with ordinality
            as draft (kind, room, author, client_id, digest, place)
        join message using (kind, room, author, client_id)
        """)
    private static let write = Statement.write(
        "write messages",
        """
        with raised as (
            update room set last_seq = last_seq + count, last_at = greatest($4::bigint, last_at + $5) + $5 * (count - 1)
            from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as wanted (kind, room, count)
            where room.kind = wanted.kind and room.id = wanted.room
                and not is_closed and last_at + $5::bigint <= $4 + $6::bigint
            returning room.kind, room.id as room, last_seq, last_at
        ), written as (
            insert into message (kind, room, seq, author, session, content, files, created_at, client_id, digest)
            select kind, room, last_seq - behind, author, session, content,
                coalesce(string_to_array(nullif(files, ''), E'\\n'), '{}'), last_at - $5 * behind, client_id, digest
            from unnest(
                $7::smallint[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::text[], $13::text[],
                $14::text[], $15::bytea[]
            ) as draft (kind, room, behind, author, session, content, files, client_id, digest)
            join raised using (kind, room)
            returning kind, room, seq, id, created_at
        ), told as (
            insert into outbox (type, body)
            select 'messages', '[' || string_agg('[' || kind || ',' || room || ',' || seq || ']', ',') || ']'
            from written having count(*) > 0
            returning id
        )
        select kind, room, id, seq, created_at, (select id from told) from written order by kind, room, seq
        """)
    private static let closed = Statement.read(
        "closed rooms",
        """
        select kind, id from room join unnest($1::smallint[], $2::bigint[]) as wanted (kind, id) using (kind, id)
        where is_closed
        """)

    /// What came of a batch: the outcome of each draft in order, and the outbox row that tells of the new ones.
    struct Result: Sendable {
        var outcomes: [SendOutcome]
        var outboxRow: Int64?
    }

    /// Writes all of them or none. No two may have the same room, author and `clientID`.
    ///
    /// - Parameter newRooms: whether some rooms may not be in the table yet.
    func write(_ drafts: [Draft], newRooms: Bool, now: Timestamp) async throws -> Result {
        let all = DraftOrder(drafts)
        var batch = PostgresBatch()
        if newRooms { try Self.add(all, madeIn: &batch) }
        try batch.lock(all.rooms)
        if drafts.allSatisfy({ $0.clientID == nil }) {
            try Self.add(all, writtenAt: now, to: &batch)
            return try await result(of: all, try await database.run(batch).last, [:])
        }
        let (known, fresh, rows) = try await database.transaction { tx in
            try Self.add(namesOf: drafts, soughtIn: &batch)
            let known = try Self.known(try await tx.run(batch).last, drafts)
            let fresh = DraftOrder(drafts) { known[$0] == nil }
            var writing = PostgresBatch()
            try Self.add(fresh, writtenAt: now, to: &writing)
            return (known, fresh, try await tx.commit(after: writing).last)
        }
        return try await result(of: fresh, rows, known)
    }

    // MARK: Asking

    private static func add(_ order: DraftOrder, madeIn batch: inout PostgresBatch) throws {
        let firsts = order.firsts
        try batch.add(
            make, firsts.map(\.room.kindNumber), firsts.map(\.room.rawValue), firsts.map(\.workspace),
            firsts.map(\.roomName))
    }

    private static func add(namesOf drafts: [Draft], soughtIn batch: inout PostgresBatch) throws {
        try batch.add(
            find, drafts.map(\.room.kindNumber), drafts.map(\.room.rawValue), drafts.map(\.author),
            drafts.map(\.clientID), drafts.map(\.digest))
    }

    private static func add(_ order: DraftOrder, writtenAt now: Timestamp, to batch: inout PostgresBatch) throws {
        let (rooms, drafts) = (order.rooms, order.drafts)
        try batch.add(
            write, rooms.map(\.kindNumber), rooms.map(\.rawValue), order.counts,
            now.milliseconds, spacing, longestLead,
            drafts.map(\.room.kindNumber), drafts.map(\.room.rawValue), order.behind,
            drafts.map(\.author), drafts.map(\.session), drafts.map(\.content),
            drafts.map { $0.files.joined(separator: "\n") }, drafts.map(\.clientID), drafts.map(\.digest))
    }

    // MARK: Reading

    /// What was written under the names of drafts before, by their places.
    private static func known(_ rows: Rows?, _ drafts: [Draft]) throws -> [Int: SendOutcome] {
        guard let rows else { throw Failure.serverError }
        var known: [Int: SendOutcome] = [:]
        for var row in rows {
            let place = Int(try row.next(as: Int64.self)) - 1
            let isSame = try row.next(as: Bool?.self) ?? false
            let written = SendOutcome.Written(
                id: try row.next(), seq: try row.next(), createdAt: try row.next(), files: try row.next())
            known[place] = isSame ? .known(written) : .conflicting
        }
        return known
    }

    /// - Parameters:
    ///   - rows: what was written of `order`, in its order.
    ///   - known: what came of the other drafts.
    private func result(of order: DraftOrder, _ rows: Rows?, _ known: [Int: SendOutcome]) async throws -> Result {
        guard let rows else { throw Failure.serverError }
        var outcomes = known
        var outboxRow: Int64?
        var refused: [Int] = []
        var next = 0
        for var row in rows {
            let room = try row.nextRoom()
            // Those in between are in rooms that take nothing.
            while next < order.drafts.count, order.drafts[next].room != room {
                refused.append(next)
                next += 1
            }
            guard next < order.drafts.count else { throw Failure.serverError }
            outcomes[order.places[next]] = .written(
                SendOutcome.Written(
                    id: try row.next(), seq: try row.next(), createdAt: try row.next(),
                    files: order.drafts[next].files))
            outboxRow = try row.next()
            next += 1
        }
        refused += next..<order.drafts.count
        if !refused.isEmpty {
            // The others are committed, so that this must not fail; who is told to come again is told then.
            let closed = (try? await closed(Set(refused.map { order.drafts[$0].room }))) ?? []
            for index in refused {
                outcomes[order.places[index]] = closed.contains(order.drafts[index].room) ? .closed : .overloaded
            }
        }
        return Result(outcomes: (0..<outcomes.count).compactMap { outcomes[$0] }, outboxRow: outboxRow)
    }

    private func closed(_ rooms: Set<RoomID>) async throws -> Set<RoomID> {
        let rows = try await database.query(Self.closed, rooms.map(\.kindNumber), rooms.map(\.rawValue))
        return Set(try rows.map { row throws(PostgresError) in try row.nextRoom() })
    }
}
