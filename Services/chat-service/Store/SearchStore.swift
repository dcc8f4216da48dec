import Contract
import Postgres
import Search
import Wire

/// Reads the search index. It offers messages by their grams; the caller checks their text.
struct SearchStore: Sendable {
    let database: PostgresPool
    /// Guards the reads of the marks, which are in one part of a divided schema.
    var marks = WideReads(isDivided: false)

    /// A partition without its mark has lost its entries, also if the indexer has not looked since.
    private static let lost = Statement.read(
        "partitions that search misses",
        """
        select count(*) from search_partition where not exists (
            select 1 from search_message e where e.workspace = 0 and e.created_at = search_partition.period * $1::bigint)
        """)
    /// A room is behind if it is of another form, if many of its messages or changes are missing, or if its first missing message
    /// or change is not being indexed now. The newest one tells nothing: a busy room always has a new one.
    private static let behind = Statement.read(
        "rooms that search misses",
        """
        select exists (
            select 1 from unnest($2::smallint[], $3::bigint[]) as wanted (kind, room)
            join room on room.workspace = $1 and room.kind = wanted.kind and room.id = wanted.room
            left join search_progress p on p.workspace = $1 and p.kind = wanted.kind and p.room = wanted.room
            where room.last_seq > 0 and (
                coalesce(p.form, 0) <> $4 or room.last_seq - p.seq > $5 or room.rev - p.rev > $5
                or (room.last_seq > p.seq and (
                    select m.created_at from message m
                    where m.workspace = $1 and m.kind = room.kind and m.room = room.id and m.seq > p.seq
                    order by m.seq limit 1
                ) < $6)
                or (room.rev > p.rev and (
                    select c.changed_at from message_change c
                    where c.workspace = $1 and c.kind = room.kind and c.room = room.id and c.rev > p.rev
                    order by c.rev limit 1
                ) between 1 and $6 - 1)))
        """)
    private static let following = Statement.read(
        "followed ones of threads",
        """
        select f.workspace, f.kind, f.room, f.root
        from unnest($3::smallint[], $4::bigint[], $5::bigint[]) as wanted (kind, room, root)
        join thread_follower f on f.workspace = $2 and f.user_id = $1 and f.kind = wanted.kind and f.room = wanted.room
            and f.root = wanted.root
        where f.is_following
        """)

    /// Returns the candidates of a look, newest first, or nil if the time was over.
    func candidates(
        _ conditions: SearchConditions, _ look: SearchLook, until deadline: SearchDeadline
    ) async throws -> [SearchCursor]? {
        var parameters = PostgresParameters()
        let text = try SearchSQL.text(conditions, look, &parameters)
        let statement = Statement.read("search messages", unprepared: text)
        return try await within(deadline) { [parameters] pool in
            try await pool.run(statement, with: parameters).map { row throws(PostgresError) in
                SearchCursor(createdAt: try row.next(), room: try row.nextRoom(), seq: try row.next())
            }
        }
    }

    /// Returns the messages of candidates with their details, or nil if the time was over. Erased ones are missing.
    func messages(
        _ candidates: [SearchCursor], in workspace: WorkspaceID, for user: UserID, until deadline: SearchDeadline
    ) async throws -> [StoredMessage]? {
        let keys = candidates.map { MessageKey(RoomKey(workspace: workspace, id: $0.room), seq: $0.seq) }
        let found = try await within(deadline) { try await MessageStore(database: $0).find(keys) }
        guard let found else { return nil }
        return try await within(deadline) { pool in
            var messages = found
            try await MessageDetailStore(database: pool).fill(&messages, for: .one(user))
            return messages
        }
    }

    /// Says whether the index has the messages of all rooms, but for those that are being indexed now; nil if the time was over.
    func isComplete(
        for rooms: [RoomID], of workspace: WorkspaceID, until deadline: SearchDeadline
    ) async throws -> Bool? {
        guard let rest = deadline.rest else { return nil }
        let now = Timestamp.now
        return try await within(deadline) { pool in
            // The marks are in the part of workspace 0, which may be out of reach alone, and the matches are read afterwards.
            async let areWhole = isWhole(within: rest / 2)
            let isBehind = try await pool.query(
                Self.behind, workspace, rooms.map(\.kindNumber), rooms.map(\.rawValue), SearchEntry.form,
                Self.toleratedBacklog, (now - Self.toleratedLag).milliseconds
            ).value(as: Bool.self)
            return await areWhole && !isBehind
        }
    }

    /// Whether no partition has lost its entries.
    ///
    /// While the part with the marks is out of reach, none can be dropped or emptied, because that needs all parts. A loss before it that
    /// the indexer has noticed shows in the forms of rooms.
    private func isWhole(within limit: Duration) async -> Bool {
        let pool = database.within(limit)
        do {
            return try await marks.attempt {
                try await pool.query(Self.lost, SearchPartitions.length).value(as: Int64.self) == 0
            } ?? true
        } catch {
            return false
        }
    }

    /// Those of the threads of a workspace that the user follows; nil if the time was over.
    func followed(
        _ threads: Set<MessageKey>, in workspace: WorkspaceID, by user: UserID, until deadline: SearchDeadline
    ) async throws -> Set<MessageKey>? {
        let keys = Array(threads)
        return try await within(deadline) { pool in
            Set(
                try await pool.query(
                    Self.following, user, workspace, keys.map(\.kindNumber), keys.map(\.roomNumber), keys.map(\.seq)
                ).map { row throws(PostgresError) in try row.nextMessageKey() })
        }
    }

    /// A room that is behind by fewer messages is being indexed now.
    private static let toleratedBacklog: Int64 = 1000
    /// A message that is older should be indexed.
    private static let toleratedLag = Duration.seconds(5)

    /// Runs reads that end at the deadline. Returns nil if it has passed.
    private func within<Value: Sendable>(
        _ deadline: SearchDeadline, _ read: (PostgresPool) async throws -> Value
    ) async throws -> Value? {
        guard let rest = deadline.rest else { return nil }
        do {
            return try await read(database.within(rest))
        } catch let error as PostgresError where error.kind == .timeout {
            return nil
        }
    }
}
