import Contract
import Postgres
import Wire

/// Writes drafts: many in one transaction, in one statement that locks their rooms in the order of their ids
/// and numbers them behind what the rooms have then, whatever came while it waited for the locks.
///
/// What came is not in its snapshot, though: where drafts are named, a statement before it takes the locks,
/// so that a name that was given meanwhile is seen. Both travel together. The commit happens with the sync
/// behind them, and a result that has come is a result that stays.
struct MessageWriter: Sendable {
    let database: PostgresPool

    /// Messages of one room are at least so far apart, in milliseconds.
    static let spacing: Int64 = 2
    /// How far a room's clock may run ahead of the real one, in milliseconds.
    static let longestLead: Int64 = 1000

    private static let prepare = Statement(
        "make rooms",
        """
        insert into room (kind, id, workspace, name)
        select * from unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::text[]) order by 1, 2
        on conflict do nothing
        """)
    private static let lock = Statement(
        "lock rooms",
        """
        select 1 from room join unnest($1::smallint[], $2::bigint[]) as wanted (kind, id) using (kind, id)
        order by kind, id for update of room
        """)
    private static let write = Statement(
        "write messages",
        """
        with draft as (
            select * from unnest(
                $1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::bytea[]
            ) with ordinality as draft (kind, room, author, session, content, files, client_id, digest, place)
        ), known as (
            select d.place, m.id, m.seq, m.created_at, m.files, coalesce(m.digest = d.digest, false) as is_same
            from draft d join message m
                on m.kind = d.kind and m.room = d.room and m.author = d.author and m.client_id = d.client_id
            where d.client_id is not null
        ), locked as (
            select kind, id, last_seq, last_at, is_closed from room
            where (kind, id) in (select kind, room from draft) order by kind, id for update
        ), timed as (
            select d.*, r.last_seq + row_number() over places as seq,
                greatest($9::bigint, r.last_at + $10::bigint) + $10 * (row_number() over places - 1) as created_at,
                r.is_closed
            from draft d join locked r on r.kind = d.kind and r.id = d.room
            where d.client_id is null or d.place not in (select place from known)
            window places as (partition by d.kind, d.room order by d.place)
        ), judged as (
            select *, case when not is_closed and created_at <= $9 + $11::bigint then nextval('message_id_seq') end as id
            from timed
        ), written as (
            insert into message (kind, room, seq, id, author, session, content, files, created_at, client_id, digest)
            overriding system value
            select kind, room, seq, id, author, session, content,
                coalesce(string_to_array(nullif(files, ''), E'\\n'), '{}'), created_at, client_id, digest
            from judged where id is not null order by kind, room, seq
            returning kind, room, seq, created_at
        ), newest as (
            select kind, room, max(seq) as seq, max(created_at) as created_at from written group by kind, room
        ), counted as (
            update room set last_seq = newest.seq, last_at = newest.created_at
            from newest where room.kind = newest.kind and room.id = newest.room
        ), told as (
            insert into outbox (type, body)
            select 'messages', '[' || string_agg(format('[%s,%s,%s]', kind, room, seq), ',') || ']'
            from written having count(*) > 0
            returning id
        )
        select place, case when id is not null then 0 when is_closed then 4 else 3 end, coalesce(id, 0), seq, created_at,
            '{}'::text[], (select id from told)
        from judged
        union all
        select place, case when is_same then 1 else 2 end, id, seq, created_at, files, null from known
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
        let rooms = Set(drafts.map(\.room)).sorted()
        let (kinds, ids) = (rooms.map(\.kindNumber), rooms.map(\.rawValue))
        var batch = PostgresBatch()
        if newRooms {
            let first = Dictionary(drafts.map { ($0.room, $0) }) { first, _ in first }
            let makers = rooms.compactMap { first[$0] }
            try batch.add(Self.prepare, kinds, ids, makers.map(\.workspace), makers.map(\.roomName))
        }
        if drafts.contains(where: { $0.clientID != nil }) { try batch.add(Self.lock, kinds, ids) }
        try batch.add(
            Self.write, drafts.map(\.room.kindNumber), drafts.map(\.room.rawValue),
            drafts.map(\.author), drafts.map(\.session), drafts.map(\.content),
            drafts.map { $0.files.joined(separator: "\n") }, drafts.map(\.clientID), drafts.map(\.digest),
            now.milliseconds, Self.spacing, Self.longestLead)
        guard let rows = try await database.run(batch).last else { throw Failure.serverError }
        return try Self.read(rows, drafts)
    }

    private static func read(_ rows: Rows, _ drafts: [Draft]) throws -> Result {
        var result = Result(outcomes: Array(repeating: .overloaded, count: drafts.count), outboxRow: nil)
        for var row in rows {
            let place = Int(try row.next(as: Int64.self)) - 1
            let kind: Int32 = try row.next()
            let (id, seq, createdAt): (ChatID, Int64, Timestamp) = (try row.next(), try row.next(), try row.next())
            let files: [String] = try row.next()
            if let outboxRow = try row.next(as: Int64?.self) { result.outboxRow = outboxRow }
            let written = SendOutcome.Written(
                id: id, seq: seq, createdAt: createdAt,
                files: kind == 0 ? drafts[place].files : files)
            result.outcomes[place] =
                switch kind {
                case 0: .written(written)
                case 1: .known(written)
                case 2: .conflicting
                case 3: .overloaded
                default: .closed
                }
        }
        return result
    }
}
