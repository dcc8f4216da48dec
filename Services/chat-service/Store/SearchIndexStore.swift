import Contract
import Postgres
import Wire

/// Writes the search index. Messages are indexed in steps of several rooms; each step and the progress of its rooms are
/// committed together, so that a crash repeats at most one step.
struct SearchIndexStore: Sendable {
    let database: PostgresPool
    /// Nil for tables on one server.
    var finder: WorkspaceFinder?

    /// The outcome of a step.
    struct Step: Sendable {
        /// Messages and changes that were written.
        var messages = 0
        /// The rooms with more to index.
        var unfinished: Set<RoomKey> = []
        /// If set, there is no partition for this moment, and nothing was written for its workspace.
        var missingPartition: Timestamp?
        /// The unfinished rooms of the workspaces that lack a partition.
        var withoutPartition: Set<RoomKey> = []
        /// Rooms for which nothing was written, because of a failure or a part that is out of reach.
        var failed: Set<RoomKey> = []
        /// The first failure.
        var failure: (any Error)?
    }

    /// Takes the locks of the rooms' rows until the end of the transaction, in one order. A room of another form begins anew.
    /// The commit does not wait for the disk: after a crash of Postgres the last steps are missing with their progress, and are
    /// done again.
    private static let begin = Statement.write(
        "begin to index rooms",
        """
        insert into search_progress as p (workspace, kind, room, seq, rev, form)
        select $4::bigint, kind, room, 0, 0, $3::smallint from unnest($1::smallint[], $2::bigint[]) as wanted (kind, room)
        order by kind, room
        on conflict on constraint search_progress_pkey do update
            set seq = case when p.form = excluded.form then p.seq else 0 end,
                rev = case when p.form = excluded.form then p.rev else 0 end, form = excluded.form
        """)
    private static let delayCommit = Statement.write(
        "commit index without waiting", "select set_config('synchronous_commit', 'off', true)")
    /// It runs under the locks of `begin`. Closed rooms are missing.
    private static let heads = Statement.read(
        "heads of rooms to index",
        """
        select p.workspace, p.kind, p.room, p.seq, p.rev, r.last_seq, r.rev
        from unnest($1::smallint[], $2::bigint[]) as wanted (kind, room)
        join search_progress p on p.workspace = $3 and p.kind = wanted.kind and p.room = wanted.room
        join room r on r.workspace = $3 and r.kind = wanted.kind and r.id = wanted.room
        where not r.is_closed
        order by p.kind, p.room
        """)
    private static let added = Statement.read(
        "messages to index",
        """
        select wanted.kind, wanted.room, m.seq, m.author, m.content, m.files, m.created_at,
            m.rev > 0 and exists (
                select 1 from reaction r
                where r.workspace = $5 and r.kind = wanted.kind and r.room = wanted.room and r.seq = m.seq),
            m.rev, m.deleted_at is not null
        from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as wanted (kind, room, seq)
        cross join lateral (
            select seq, author, content, files, created_at, rev, deleted_at from message
            where message.workspace = $5 and message.kind = wanted.kind and message.room = wanted.room
                and message.seq > wanted.seq
            order by message.seq limit $4
        ) as m
        order by wanted.kind, wanted.room, m.seq
        """)
    private static let changed = Statement.read(
        "changed messages to index",
        """
        select wanted.kind, wanted.room, m.seq, m.author, m.content, m.files, m.created_at,
            exists (
                select 1 from reaction r
                where r.workspace = $6 and r.kind = wanted.kind and r.room = wanted.room and r.seq = m.seq),
            m.change, m.deleted_at is not null
        from unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[]) as wanted (kind, room, seq, rev)
        cross join lateral (
            select message.seq, author, content, files, created_at, deleted_at, change.rev as change
            from message_change change join message using (workspace, kind, room, seq)
            where change.workspace = $6 and change.kind = wanted.kind and change.room = wanted.room and change.seq <= wanted.seq
                and change.rev > wanted.rev
            order by change.rev limit $5
        ) as m
        order by wanted.kind, wanted.room, m.change
        """)
    private static let write = Statement.write(
        "write search entries",
        """
        insert into search_message (created_at, workspace, room, seq, kind, grams)
        select created_at, workspace, room, seq, kind, ($8::int[])[first:last]
        from unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::int[], $7::int[])
            as entry (kind, room, workspace, seq, created_at, first, last)
        """)
    private static let erase = Statement.write(
        "erase search entries",
        """
        delete from search_message e
        using unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[]) as gone (kind, room, seq, created_at)
        where e.workspace = $5 and e.created_at = gone.created_at and e.kind = gone.kind
            and e.room = gone.room and e.seq = gone.seq
        """)
    private static let advance = Statement.write(
        "note progress of index",
        """
        update search_progress p set seq = done.seq, rev = done.rev
        from unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[]) as done (kind, room, seq, rev)
        where p.workspace = $5 and p.kind = done.kind and p.room = done.room
        """)

    /// Indexes the next messages and changes of some rooms, each workspace in a transaction of its own. A failure in one stops no other
    /// one. With tables on one server the first failure is thrown at the end.
    ///
    /// - Parameters:
    ///   - limit: the most messages, and the most changes, of each room in a step.
    ///   - hasPartition: says whether the month of a moment has its partition.
    func advance(
        _ rooms: [RoomKey], limit: Int, hasPartition: @Sendable (Timestamp) -> Bool
    ) async throws -> Step {
        var step = Step()
        // After a failure, the workspaces whose server answers: each of the others would wait for it.
        var reachable: Set<WorkspaceID>?
        let workspaces = Dictionary(grouping: rooms, by: \.workspace)
        for (workspace, rooms) in workspaces {
            guard reachable?.contains(workspace) ?? true else {
                step.failed.formUnion(rooms)
                continue
            }
            do {
                let part = try await advance(rooms, of: workspace, limit: limit, hasPartition: hasPartition)
                step.messages += part.messages
                step.unfinished.formUnion(part.unfinished)
                step.missingPartition = step.missingPartition ?? part.missingPartition
                step.withoutPartition.formUnion(part.withoutPartition)
            } catch {
                if Task.isCancelled { throw error }
                step.failed.formUnion(rooms)
                step.failure = step.failure ?? error
                if error.isOutageOfStore, reachable == nil, let finder {
                    reachable = try await finder.reachable(among: Set(workspaces.keys))
                }
            }
        }
        if finder == nil, let failure = step.failure { throw failure }
        return step
    }

    private func advance(
        _ rooms: [RoomKey], of workspace: WorkspaceID, limit: Int, hasPartition: @Sendable (Timestamp) -> Bool
    ) async throws -> Step {
        try await database.transaction { tx in
            var beginning = PostgresBatch()
            try beginning.add(Self.delayCommit)
            try beginning.add(
                Self.begin, rooms.map(\.kindNumber), rooms.map(\.rawValue), SearchEntry.form, workspace)
            try beginning.add(Self.heads, rooms.map(\.kindNumber), rooms.map(\.rawValue), workspace)
            var steps = try await tx.run(beginning)[2].map(SearchIndexStep.init(row:))
            if steps.isEmpty { return Step() }
            let (kinds, ids) = (steps.map(\.room.kindNumber), steps.map(\.room.rawValue))
            let seqs = steps.map(\.progress.seq)
            // The changes are read first. A message of `added` that changes in between is read with its change, or its change
            // has a revision above those read here.
            let changed = try await tx.query(
                Self.changed, kinds, ids, seqs, steps.map(\.progress.rev), limit, workspace
            )
            .map(SearchIndexStep.Message.init(row:))
            let added = try await tx.query(Self.added, kinds, ids, seqs, limit, workspace)
                .map(SearchIndexStep.Message.init(row:))
            for index in steps.indices {
                let room = steps[index].room
                steps[index].take(
                    added: added.filter { $0.room == room }, changed: changed.filter { $0.room == room }, limit: limit)
            }
            let messages = steps.flatMap(\.messages)
            if let moment = messages.map(\.message.createdAt).first(where: { !hasPartition($0) }) {
                return Step(unfinished: Set(rooms), missingPartition: moment, withoutPartition: Set(rooms))
            }
            var batch = PostgresBatch()
            if !messages.isEmpty { try Self.add(steps, of: workspace, to: &batch) }
            try batch.add(
                Self.advance, kinds, ids, steps.map(\.progress.seq), steps.map(\.progress.rev), workspace)
            try await tx.run(batch)
            return Step(messages: messages.count, unfinished: Set(steps.filter { !$0.isLast }.map(\.key)))
        }
    }

    /// Adds the statements that replace the entries of the steps' messages, which are of one workspace.
    private static func add(
        _ steps: [SearchIndexStep], of workspace: WorkspaceID, to batch: inout PostgresBatch
    ) throws {
        // A room that is indexed anew has entries already.
        let old = steps.flatMap { step in step.messages.map { (step, $0.message) } }
        try batch.add(
            erase, old.map(\.0.room.kindNumber), old.map(\.0.room.rawValue), old.map(\.1.seq),
            old.map(\.1.createdAt.milliseconds), workspace)
        var grams: [Int32] = []
        var slices: [(first: Int32, last: Int32)] = []
        let new = steps.flatMap { step in step.entries.map { (step, $0) } }
        for (_, entry) in new {
            slices.append((Int32(grams.count + 1), Int32(grams.count + entry.grams.count)))
            grams += entry.grams
        }
        try batch.add(
            write, new.map(\.0.room.kindNumber), new.map(\.0.room.rawValue), new.map(\.0.workspace), new.map(\.1.seq),
            new.map(\.1.createdAt.milliseconds), slices.map(\.first), slices.map(\.last), grams)
    }
}
