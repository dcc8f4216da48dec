import Postgres
import Wire

/// Erases the contents of closed rooms. The rows of the rooms stay, so that the rooms accept no message again.
struct ErasureStore: Sendable {
    let database: PostgresPool
    /// Nil for tables on one server.
    var finder: WorkspaceFinder?

    private static let waiting = Statement.read(
        "rooms to erase",
        """
        select workspace, kind, id from room
        where is_closed and not is_erased and (kind, id) > ($1::smallint, $2::bigint) order by kind, id limit $3
        """)
    private static let waitingAmong = Statement.read(
        "rooms to erase among some",
        """
        select workspace, kind, id from room
        where workspace = any($4::bigint[]) and is_closed and not is_erased and (kind, id) > ($1::smallint, $2::bigint)
        order by kind, id limit $3
        """)
    /// Takes a room out of the search index. It waits for a step of the indexer that holds the room's row, and steps
    /// after it find nothing more to write.
    private static let stopIndex = Statement.write(
        "stop index of room",
        """
        insert into search_progress as p (workspace, kind, room, seq, rev, form)
        values ($1, $2, $3, 9223372036854775807, 9223372036854775807, 0)
        on conflict on constraint search_progress_pkey do update set seq = excluded.seq, rev = excluded.rev
        """)
    /// Deletes messages with their search entries, and returns how many. It skips rows that another instance is erasing:
    /// after a wait for them it would delete nothing and look finished. The rows are found again by their addresses:
    /// a list of numbers may be compared with every message of the room.
    private static let messages = Statement.write(
        "erase messages",
        """
        with batch as materialized (
            select ctid from message where workspace = $1 and kind = $2 and room = $3 limit 5000 for update skip locked
        ), gone as (
            delete from message m using batch where m.workspace = $1 and m.ctid = batch.ctid
            returning m.kind, m.room, m.seq, m.created_at
        ), entries as (
            delete from search_message e using gone
            where e.workspace = $1 and e.created_at = gone.created_at and e.kind = gone.kind and e.room = gone.room and e.seq = gone.seq
        )
        select count(*) from gone
        """)
    /// Each of these deletes a portion. It waits for rows that another instance is erasing, and then takes others in their place.
    private static let positions = Statement.write(
        "erase read markers",
        """
        with portion as materialized (
            select ctid from read_position where workspace = $1 and kind = $2 and room = $3 limit $4 for update
        )
        delete from read_position r using portion where r.workspace = $1 and r.ctid = portion.ctid
        """)
    private static let removals = Statement.write(
        "erase removals",
        """
        with portion as materialized (
            select ctid from removal where workspace = $1 and kind = $2 and room = $3 limit $4 for update
        )
        delete from removal r using portion where r.workspace = $1 and r.ctid = portion.ctid
        """)
    private static let levels = Statement.write(
        "erase levels",
        """
        with portion as materialized (
            select ctid from room_notify where workspace = $1 and kind = $2 and room = $3 limit $4 for update
        )
        delete from room_notify r using portion where r.workspace = $1 and r.ctid = portion.ctid
        """)
    private static let drafts = Statement.write(
        "erase drafts",
        """
        with portion as materialized (
            select ctid from draft where workspace = $1 and kind = $2 and room = $3 limit $4 for update
        )
        delete from draft r using portion where r.workspace = $1 and r.ctid = portion.ctid
        """)
    private static let runs = Statement.write(
        "erase runs of commands",
        """
        with portion as materialized (
            select ctid from command_run where workspace = $1 and kind = $2 and room = $3 limit $4 for update
        )
        delete from command_run r using portion where r.workspace = $1 and r.ctid = portion.ctid
        """)
    private static let scheduled = Statement.write(
        "erase scheduled messages",
        """
        with portion as materialized (
            select ctid from scheduled where workspace = $1 and kind = $2 and room = $3 limit $4 for update
        )
        delete from scheduled r using portion where r.workspace = $1 and r.ctid = portion.ctid
        """)
    private static let sent = Statement.write(
        "erase names of sent scheduled messages",
        """
        with portion as materialized (
            select ctid from scheduled_sent where workspace = $1 and kind = $2 and room = $3 limit $4 for update
        )
        delete from scheduled_sent r using portion where r.workspace = $1 and r.ctid = portion.ctid
        """)
    private static let finish = Statement.write(
        "note erased rooms",
        """
        update room set is_erased = true
        where workspace = $1
            and (kind, id) in (select * from unnest($2::smallint[], $3::bigint[]) as erased (kind, id))
            and not exists (
                select from message m where m.workspace = $1 and m.kind = room.kind and m.room = room.id)
            and not exists (select from file f where f.workspace = $1 and f.kind = room.kind and f.room = room.id)
        """)

    /// Closed rooms that may still have contents, ordered by id, after the room `last`. While a part of a divided schema is out of
    /// reach, its are missing.
    func waiting(after last: RoomID?, limit: Int) async throws -> [RoomKey] {
        let (kind, id) = (last?.kindNumber ?? 0, last?.rawValue ?? 0)
        guard let finder else { return try await database.query(Self.waiting, kind, id, limit).map(Self.room) }
        let found = try await finder.find(
            .rooms, all: { tx in try await tx.query(Self.waiting, kind, id, limit).map(Self.room) },
            among: { tx, part in try await tx.query(Self.waitingAmong, kind, id, limit, part).map(Self.room) })
        return Array(found.sorted { ($0.kindNumber, $0.rawValue) < ($1.kindNumber, $1.rawValue) }.prefix(limit))
    }

    /// Whether the part of a workspace is within reach.
    func canRead(_ workspace: WorkspaceID) async throws -> Bool {
        guard let finder else { return true }
        return try await !finder.find(in: [workspace]) { tx, part in
            _ = try await tx.query(Self.waitingAmong, 0 as Int16, 0 as Int64, 1, part)
            return part
        }.isEmpty
    }

    private static func room(_ row: inout Row) throws(PostgresError) -> RoomKey { try row.nextRoomKey() }

    /// Deletes a room's messages and their search entries, in batches.
    func eraseMessages(of room: RoomKey) async throws {
        try await database.execute(Self.stopIndex, room.workspace, room.kindNumber, room.rawValue)
        while try await eraseBatch(of: room) > 0 { try Task.checkCancellation() }
    }

    private func eraseBatch(of room: RoomKey) async throws -> Int64 {
        try await database.query(Self.messages, room.workspace, room.kindNumber, room.rawValue)
            .first { row throws(PostgresError) in try row.next() } ?? 0
    }

    /// The rows that one statement deletes. A room has rows of each of its members, and a statement must end before its time-out.
    private static let portion: Int64 = 5000

    /// Deletes the read markers, removals, levels, drafts, runs of commands and scheduled messages of a room, and the names of
    /// those that were sent.
    func eraseRows(of room: RoomKey) async throws {
        for table in [Self.positions, Self.removals, Self.levels, Self.drafts, Self.runs, Self.scheduled, Self.sent] {
            while try await database.execute(table, room.workspace, room.kindNumber, room.rawValue, Self.portion) > 0 {
                try Task.checkCancellation()
            }
        }
    }

    /// Marks those of the rooms as erased that have no message or file left. A failure for one workspace stops no other; the first one is
    /// thrown at the end.
    func finish(_ rooms: [RoomKey]) async throws {
        var failure: (any Error)?
        for (workspace, rooms) in Dictionary(grouping: rooms, by: \.workspace) {
            do {
                try await database.execute(Self.finish, workspace, rooms.map(\.kindNumber), rooms.map(\.rawValue))
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }
}
