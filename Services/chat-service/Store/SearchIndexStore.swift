import Contract
import Postgres
import Wire

/// Writes the search index. A room's messages are indexed in steps; each step and the progress of its room are committed
/// together, so that a crash repeats at most one step.
struct SearchIndexStore: Sendable {
    let database: PostgresPool

    /// How far a room is indexed: messages up to `seq`, changes up to `rev`.
    struct Progress: Sendable, Equatable {
        var seq: Int64
        var rev: Int64
    }

    /// The outcome of a step.
    struct Step: Sendable {
        /// Messages and changes that were written.
        var messages = 0
        /// The time of the newest new message.
        var newest: Timestamp?
        var isLast = true
        /// If set, nothing was written, because there is no partition for this moment.
        var missingPartition: Timestamp?
    }

    private static let behind = Statement.read(
        "rooms to index",
        """
        select room.kind, room.id
        from room left join search_progress p on p.kind = room.kind and p.room = room.id
        where not room.is_closed
            and (p.room is null and room.last_seq > 0 or p.form <> $1 or room.last_seq > p.seq or room.rev > p.rev)
        order by room.last_at desc limit $2
        """)
    /// Takes the lock of the room's row until the end of the transaction. A room of another form begins anew.
    private static let begin = Statement.write(
        "begin to index room",
        """
        insert into search_progress as p (kind, room, seq, rev, form) values ($1, $2, 0, 0, $3)
        on conflict (kind, room) do update
            set seq = case when p.form = $3 then p.seq else 0 end, rev = case when p.form = $3 then p.rev else 0 end,
                form = $3
        returning seq, rev,
            (select array[workspace, last_seq, rev] from room where room.kind = $1 and room.id = $2 and not is_closed)
        """)
    private static let added = Statement.read(
        "messages to index",
        """
        select seq, author, content, files, created_at,
            rev > 0 and exists (
                select from reaction r where r.kind = message.kind and r.room = message.room and r.seq = message.seq),
            rev, deleted_at is not null
        from message where kind = $1 and room = $2 and seq > $3 order by seq limit $4
        """)
    private static let changed = Statement.read(
        "changed messages to index",
        """
        select m.seq, m.author, m.content, m.files, m.created_at,
            exists (select from reaction r where r.kind = m.kind and r.room = m.room and r.seq = m.seq),
            change.rev, m.deleted_at is not null
        from message_change change join message m using (kind, room, seq)
        where kind = $1 and room = $2 and seq <= $3 and change.rev > $4 order by change.rev limit $5
        """)
    private static let write = Statement.write(
        "write search entries",
        """
        insert into search_entry (created_at, kind, room, seq, author, traits, grams)
        select created_at, $1, $2, seq, author, traits, ($9::int[])[first:last]
        from unnest($3::bigint[], $4::bigint[], $5::bigint[], $6::smallint[], $7::int[], $8::int[])
            as entry (seq, created_at, author, traits, first, last)
        """)
    private static let erase = Statement.write(
        "erase search entries",
        """
        delete from search_entry using unnest($3::bigint[], $4::bigint[]) as gone (seq, created_at)
        where search_entry.kind = $1 and search_entry.room = $2 and search_entry.seq = gone.seq
            and search_entry.created_at = gone.created_at
        """)
    private static let advance = Statement.write(
        "note progress of index",
        "update search_progress set seq = $3, rev = $4 where kind = $1 and room = $2")

    /// Rooms with messages or changes that are not in the index, the most recently used first.
    func behind(limit: Int) async throws -> [RoomID] {
        try await database.query(Self.behind, SearchEntry.form, limit)
            .map { row throws(PostgresError) in try row.nextRoom() }
    }

    /// Indexes the next messages and changes of a room.
    ///
    /// - Parameters:
    ///   - limit: the most messages, and the most changes, of a step.
    ///   - hasPartition: says whether the month of a moment has its partition.
    func advance(
        _ room: RoomID, limit: Int, hasPartition: @Sendable (Timestamp) -> Bool
    ) async throws -> Step {
        try await database.transaction { tx in
            let (kind, id) = (room.kindNumber, room.rawValue)
            let began = try await tx.query(Self.begin, kind, id, SearchEntry.form).first(Beginning.init(row:))
            guard let began, let head = began.head else { return Step() }
            // The changes are read first. A message of `added` that changes in between is read with its change, or its change
            // has a revision above those read here.
            let changed = try await tx.query(
                Self.changed, kind, id, began.progress.seq, began.progress.rev, limit
            ).map(Indexed.init(row:))
            let added = try await tx.query(Self.added, kind, id, began.progress.seq, limit).map(Indexed.init(row:))
            let all = added + changed
            if let moment = all.map(\.message.createdAt).first(where: { !hasPartition($0) }) {
                return Step(isLast: false, missingPartition: moment)
            }
            var batch = PostgresBatch()
            let workspace = head.workspace
            // A room that is indexed anew has entries already.
            try batch.add(Self.erase, kind, id, all.map(\.message.seq), all.map(\.message.createdAt.milliseconds))
            try addWrite(
                all.filter { !$0.isDeleted }.map { SearchEntry($0.message, in: workspace) }, of: room, to: &batch)
            // A message of the room may be erased, so the last one read may stand before the head.
            let seq = added.count < limit ? max(head.seq, added.last?.message.seq ?? 0) : added[limit - 1].message.seq
            let rev = changed.count < limit ? max(head.rev, changed.last?.rev ?? 0) : changed[limit - 1].rev
            try batch.add(Self.advance, kind, id, seq, rev)
            try await tx.run(batch)
            return Step(
                messages: all.count, newest: added.last?.message.createdAt,
                isLast: added.count < limit && changed.count < limit)
        }
    }

    private func addWrite(_ entries: [SearchEntry], of room: RoomID, to batch: inout PostgresBatch) throws {
        var grams: [Int32] = []
        var slices: [(first: Int32, last: Int32)] = []
        for entry in entries {
            slices.append((Int32(grams.count + 1), Int32(grams.count + entry.grams.count)))
            grams += entry.grams
        }
        try batch.add(
            Self.write, room.kindNumber, room.rawValue, entries.map(\.seq), entries.map(\.createdAt.milliseconds),
            entries.map(\.author), entries.map(\.traits.rawValue), slices.map(\.first), slices.map(\.last), grams)
    }
}

extension SearchIndexStore {
    /// The progress of a room and, unless the room is closed, its head.
    private struct Beginning: Sendable {
        let progress: Progress
        let head: (workspace: WorkspaceID, seq: Int64, rev: Int64)?

        init(row: inout Row) throws(PostgresError) {
            progress = Progress(seq: try row.next(), rev: try row.next())
            let numbers: [Int64]? = try row.next()
            head = numbers.map { (WorkspaceID($0[0]), $0[1], $0[2]) }
        }
    }

    private struct Indexed: Sendable {
        let message: SearchableMessage
        let rev: Int64
        let isDeleted: Bool

        init(row: inout Row) throws(PostgresError) {
            message = SearchableMessage(
                seq: try row.next(), author: try row.next(), content: try row.next(), files: try row.next(),
                createdAt: try row.next(), hasReactions: try row.next())
            rev = try row.next()
            isDeleted = try row.next()
        }
    }
}
