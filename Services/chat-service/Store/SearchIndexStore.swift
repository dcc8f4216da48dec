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
        var isLast = true
        /// If set, nothing was written, because there is no partition for this moment.
        var missingPartition: Timestamp?
    }

    private static let behind = Statement.read(
        "rooms to index",
        """
        select kind, id, count(*) over (), (sum(messages) over ())::bigint
        from (
            select room.kind, room.id, room.last_at,
                case when p.form = $1 then greatest(room.last_seq - p.seq, 0) + greatest(room.rev - p.rev, 0)
                    else room.last_seq end as messages
            from room left join search_progress p on p.kind = room.kind and p.room = room.id
            where not room.is_closed
        ) as room
        where messages > 0 order by last_at desc limit $2
        """)
    /// Takes the lock of the room's row until the end of the transaction. A room of another form begins anew. The commit does
    /// not wait for the disk: after a crash of Postgres the last steps are missing with their progress, and are done again.
    private static let begin = Statement.write(
        "begin to index room",
        """
        insert into search_progress as p (kind, room, seq, rev, form) values ($1, $2, 0, 0, $3)
        on conflict (kind, room) do update
            set seq = case when p.form = $3 then p.seq else 0 end, rev = case when p.form = $3 then p.rev else 0 end,
                form = $3
        returning seq, rev,
            (select array[workspace, last_seq, rev] from room where room.kind = $1 and room.id = $2 and not is_closed),
            set_config('synchronous_commit', 'off', true)
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
        insert into search_message (created_at, workspace, room, seq, kind, grams)
        select created_at, $3, $2, seq, $1, ($8::int[])[first:last]
        from unnest($4::bigint[], $5::bigint[], $6::int[], $7::int[]) as entry (seq, created_at, first, last)
        """)
    private static let erase = Statement.write(
        "erase search entries",
        """
        delete from search_message using unnest($4::bigint[], $5::bigint[]) as gone (seq, created_at)
        where search_message.workspace = $3 and search_message.kind = $1 and search_message.room = $2
            and search_message.seq = gone.seq and search_message.created_at = gone.created_at
        """)
    private static let advance = Statement.write(
        "note progress of index",
        "update search_progress set seq = $3, rev = $4 where kind = $1 and room = $2")

    /// Reads the backlog, with at most `limit` of its rooms, the most recently used first.
    func backlog(limit: Int) async throws -> SearchBacklog {
        var backlog = SearchBacklog()
        for var row in try await database.query(Self.behind, SearchEntry.form, limit) {
            backlog.rooms.append(try row.nextRoom())
            (backlog.roomCount, backlog.messageCount) = (try row.next(), try row.next())
        }
        return backlog
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
            // A room that is indexed anew has entries already.
            try batch.add(
                Self.erase, kind, id, head.workspace, all.map(\.message.seq),
                all.map(\.message.createdAt.milliseconds))
            let entries = all.filter { !$0.isDeleted }
                .map { SearchEntry($0.message, of: room, in: head.workspace) }
            try Self.addWrite(entries, of: room, in: head.workspace, to: &batch)
            // A message of the room may be erased, so the last one read may stand before the head.
            let seq = added.count < limit ? max(head.seq, added.last?.message.seq ?? 0) : added[limit - 1].message.seq
            let rev = changed.count < limit ? max(head.rev, changed.last?.rev ?? 0) : changed[limit - 1].rev
            try batch.add(Self.advance, kind, id, seq, rev)
            try await tx.run(batch)
            return Step(messages: all.count, isLast: added.count < limit && changed.count < limit)
        }
    }

    private static func addWrite(
        _ entries: [SearchEntry], of room: RoomID, in workspace: WorkspaceID, to batch: inout PostgresBatch
    ) throws {
        var grams: [Int32] = []
        var slices: [(first: Int32, last: Int32)] = []
        for entry in entries {
            slices.append((Int32(grams.count + 1), Int32(grams.count + entry.grams.count)))
            grams += entry.grams
        }
        try batch.add(
            write, room.kindNumber, room.rawValue, workspace, entries.map(\.seq),
            entries.map(\.createdAt.milliseconds), slices.map(\.first), slices.map(\.last), grams)
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
            _ = try row.next(as: String.self)
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
