import Contract
import Postgres
import Wire

/// Reads the parts of a read event that the move of a marker does not tell.
struct ReadEventStore: Sendable {
    let database: PostgresPool
    /// Nil for tables on one server.
    var finder: WorkspaceFinder?

    struct State: Sendable {
        /// The marker, which another call or an own message may have moved further.
        let seq: Int64
        let isShared: Bool
        let unread: Int64
        let mentions: Int64
    }

    private static let states = Statement.read(
        "states of moved markers",
        """
        select w.user_id, w.kind, w.room, p.seq, coalesce(s.read_receipts, true), (
                select count(*) from message u
                where u.workspace = $7 and u.kind = w.kind and u.room = w.room and u.seq > p.seq
                    and u.author <> w.user_id and u.deleted_at is null and not u.is_aside and u.author <> all(h.authors)
            ), (
                select count(distinct n.seq) from mention n join message u using (kind, room, seq)
                where n.workspace = $7 and n.kind = w.kind and n.room = w.room
                    and n.user_id in (w.user_id, 0, -1) and n.seq > p.seq
                    and u.workspace = $7 and u.author <> w.user_id and not u.is_aside and u.author <> all(h.authors)
            )
        from unnest($1::bigint[], $2::smallint[], $3::bigint[], $4::bigint[])
            as w (user_id, kind, room, seq)
        left join user_settings s on s.user_id = w.user_id
        left join read_position r
            on r.user_id = w.user_id and r.workspace = $7::bigint and r.kind = w.kind and r.room = w.room
        cross join lateral (
            -- The offset keeps the planner from inlining this, so that it runs once for each marker.
            select coalesce(
                (select o.seq from message o
                 where o.workspace = $7 and o.kind = w.kind and o.room = w.room and o.author = w.user_id
                    and o.seq > greatest(w.seq, r.seq) and not o.is_aside
                 order by o.seq desc limit 1), greatest(w.seq, r.seq)) as seq
            offset 0
        ) p
        cross join lateral (
            select coalesce(array_agg(b.blocked), '{}') as authors
            from unnest($5::bigint[], $6::bigint[]) as b (user_id, blocked) where b.user_id = w.user_id
            offset 0
        ) h
        """)
    private static let hiding = Statement.read(
        "users that share no markers",
        "select user_id from user_settings where user_id = any($1::bigint[]) and not read_receipts")

    /// The states of markers. Those in a part of a divided schema that is out of reach are missing.
    ///
    /// - Parameter blocks: the blocks of the users; messages of blocked authors do not count.
    func states(
        of moves: [ReadCoalescer.Move], hiding blocks: [UserID: AuthClient.Blocks]
    ) async throws -> [ReadCoalescer.Key: State] {
        let hidden = Set(moves.map(\.key.user)).flatMap { user in (blocks[user]?.blocked ?? []).map { (user, $0) } }
        if moves.isEmpty { return [:] }
        let moved = Dictionary(grouping: moves, by: \.workspace)
        guard let finder else {
            return Dictionary(try await Self.read(moved, hiding: hidden, in: database)) { first, _ in first }
        }
        let found = try await finder.find(in: Set(moved.keys)) { tx, part in
            try await Self.read(moved.filter { part.contains($0.key) }, hiding: hidden, in: tx)
        }
        return Dictionary(found) { first, _ in first }
    }

    private static func read(
        _ moved: [WorkspaceID: [ReadCoalescer.Move]], hiding hidden: [(UserID, UserID)], in database: some Queryable
    ) async throws -> [(ReadCoalescer.Key, State)] {
        var batch = PostgresBatch()
        for (workspace, moves) in moved {
            try batch.add(
                Self.states, moves.map(\.key.user), moves.map(\.key.room.kindNumber), moves.map(\.key.room.rawValue),
                moves.map(\.seq), hidden.map(\.0), hidden.map(\.1), workspace)
        }
        return try await database.run(batch).flatMap { rows throws(PostgresError) in try rows.map(Self.state) }
    }

    private static func state(_ row: inout Row) throws(PostgresError) -> (ReadCoalescer.Key, State) {
        (
            ReadCoalescer.Key(user: try row.next(), room: try row.nextRoom()),
            State(seq: try row.next(), isShared: try row.next(), unread: try row.next(), mentions: try row.next())
        )
    }

    /// The users among these that do not share their read markers.
    func hiding(_ users: Set<UserID>) async throws -> Set<UserID> {
        if users.isEmpty { return [] }
        return Set(
            try await database.query(Self.hiding, Array(users)).map { row throws(PostgresError) in try row.next() })
    }
}
