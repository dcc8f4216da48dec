import Contract
import Postgres
import Wire

/// Reads threads and their followers, and moves the read markers of followers.
struct ThreadStore: Sendable {
    let database: PostgresPool

    /// A thread as one of its followers has it.
    struct Followed: Sendable {
        let root: MessageKey
        /// The newest reply.
        let last: MessageKey
        let lastAt: Timestamp
        /// Unread replies that are in the thread alone.
        let unread: Int64
        /// Those among them that mention the user.
        let mentions: Int64
        let readSeq: Int64
    }

    /// The state of a user in a thread.
    struct Following: Sendable {
        let isFollowing: Bool
        let readSeq: Int64
    }

    private static let root = Statement.read(
        "root of thread",
        "select coalesce(thread, seq) from message where workspace = $1 and kind = $2 and room = $3 and seq = $4")
    private static let replies = Statement.read(
        "replies of thread",
        """
        select m.workspace, m.kind, m.room, m.seq, m.id, m.author, m.session, m.content, m.files, m.created_at, m.client_id,
            m.rev, m.edited_at, m.deleted_at, m.thread, m.is_aside, m.mentions, m.is_scheduled
        from (
            select * from reply
            where workspace = $1 and kind = $2 and room = $3 and root = $4 and seq > $5 order by seq limit $6
        ) as reply join message m using (workspace, kind, room, seq)
        where m.workspace = $1
        order by m.seq
        """)
    private static let following = Statement.read(
        "follower of thread",
        """
        select is_following, read_seq from thread_follower
        where user_id = $1 and workspace = $2 and kind = $3 and room = $4 and root = $5
        """)
    /// A new follower has read the replies so far.
    private static let follow = Statement.write(
        "follow thread",
        """
        insert into thread_follower (user_id, workspace, kind, room, root, is_following, read_seq)
        select $1::bigint, $2::bigint, $3::smallint, $4::bigint, $5::bigint, $6::boolean, coalesce((
            select last_seq from thread where workspace = $2 and kind = $3 and room = $4 and root = $5), $5)
        on conflict on constraint thread_follower_pkey do update set is_following = excluded.is_following,
            read_seq = case
                when thread_follower.is_following or not excluded.is_following then thread_follower.read_seq
                else excluded.read_seq end
        """)
    /// The author and the members that a message mentions will follow its thread. A look at it before its first reply is no refusal.
    private static let read = Statement.write(
        "move read marker of thread",
        """
        insert into thread_follower (user_id, workspace, kind, room, root, is_following, read_seq)
        select $1::bigint, m.workspace, m.kind, m.room, m.seq,
            t.root is null and coalesce(m.author = $1 or $1 = any(m.mentions), false),
            least($6, coalesce(t.last_seq, m.seq))
        from message m left join thread t on t.workspace = m.workspace and t.kind = m.kind and t.room = m.room
            and t.root = m.seq
        where m.workspace = $2 and m.kind = $3 and m.room = $4 and m.seq = $5
            and (m.deleted_at is null or t.count > 0)
        on conflict on constraint thread_follower_pkey do update
            set read_seq = greatest(thread_follower.read_seq, excluded.read_seq)
        returning read_seq
        """)
    /// Threads with unread replies first, then by the newest reply. A user without blocks costs no look at the replies.
    private static let followed = Statement.read(
        "followed threads",
        """
        select workspace, kind, room, root, last_seq, last_at, read_seq, (
                select count(*) from reply r where r.workspace = $2 and r.kind = page.kind and r.room = page.room
                    and r.root = page.root
                    and r.seq > page.read_seq and r.is_aside and (cardinality($11::bigint[]) = 0 or (
                        select m.author from message m where m.workspace = $2 and m.kind = r.kind and m.room = r.room
                            and m.seq = r.seq
                    ) <> all($11::bigint[]))
            ), (
                select count(distinct r.seq) from reply r join mention n using (workspace, kind, room, seq)
                where r.workspace = $2 and r.kind = page.kind and r.room = page.room and r.root = page.root
                    and r.seq > page.read_seq
                    and r.is_aside and n.user_id = any($10::bigint[]) and (cardinality($11::bigint[]) = 0 or (
                        select m.author from message m where m.workspace = $2 and m.kind = r.kind and m.room = r.room
                            and m.seq = r.seq
                    ) <> all($11::bigint[]))
            )
        from (
            select *, case when last_seq > read_seq and exists (
                    select from reply r where r.workspace = $2 and r.kind = t.kind and r.room = t.room and r.root = t.root
                        and r.seq > t.read_seq and r.is_aside and (cardinality($11::bigint[]) = 0 or (
                            select m.author from message m where m.workspace = $2 and m.kind = r.kind and m.room = r.room
                                and m.seq = r.seq
                        ) <> all($11::bigint[]))) then 0 else 1 end as rank
            from (
                select f.workspace, f.kind, f.room, f.root, f.read_seq, thread.last_seq, thread.last_at
                from unnest($3::smallint[], $4::bigint[]) as w (kind, room)
                join thread_follower f on f.workspace = $2 and f.user_id = $1 and f.kind = w.kind and f.room = w.room
                join thread on thread.workspace = $2 and thread.kind = f.kind and thread.room = f.room
                    and thread.root = f.root
                where f.is_following and thread.count > 0
            ) as t
        ) as page
        where (rank, -last_at, room, root) > ($5::integer, $6::bigint, $7::bigint, $8::bigint)
        order by rank, -last_at, room, root limit $9
        """)
    private static let counts = Statement.read(
        "unread replies of followed threads",
        """
        select count(*), count(*) filter (where exists (
            select from mention n where n.workspace = $2 and n.kind = r.kind and n.room = r.room and n.seq = r.seq
                and n.user_id = any($5::bigint[])))
        from unnest($3::smallint[], $4::bigint[]) as w (kind, room)
        join thread_follower f on f.workspace = $2 and f.user_id = $1 and f.kind = w.kind and f.room = w.room
        join reply r on r.workspace = $2 and r.kind = f.kind and r.room = f.room and r.root = f.root
            and r.seq > f.read_seq and r.is_aside
        where f.is_following and (cardinality($6::bigint[]) = 0 or (
                select m.author from message m where m.workspace = $2 and m.kind = r.kind and m.room = r.room
                    and m.seq = r.seq
            ) <> all($6::bigint[]))
        """)

    /// The root of the thread that a message is in or begins; nil if there is no such message.
    func root(of key: MessageKey) async throws -> Int64? {
        try await database.query(Self.root, key.workspace, key.kindNumber, key.roomNumber, key.seq)
            .first { row throws(PostgresError) in try row.next() }
    }

    /// The replies of a thread after a seq, oldest first, without deleted ones.
    func replies(to root: MessageKey, after seq: Int64, limit: Int) async throws -> [StoredMessage] {
        try MessageStore.read(
            try await database.query(
                Self.replies, root.workspace, root.kindNumber, root.roomNumber, root.seq, seq, limit))
    }

    /// Nil for a user that has never followed the thread.
    func following(_ root: MessageKey, of user: UserID) async throws -> Following? {
        try await database.query(Self.following, user, root.workspace, root.kindNumber, root.roomNumber, root.seq)
            .first { row throws(PostgresError) in Following(isFollowing: try row.next(), readSeq: try row.next()) }
    }

    func setFollowing(_ isFollowing: Bool, _ root: MessageKey, of user: UserID) async throws {
        try await database.execute(
            Self.follow, user, root.workspace, root.kindNumber, root.roomNumber, root.seq, isFollowing)
    }

    /// Moves a read marker forward, at most to the newest reply, and returns its value; nil for a deleted root without
    /// replies.
    func advance(_ user: UserID, in root: MessageKey, to seq: Int64) async throws -> Int64? {
        try await database.query(
            Self.read, user, root.workspace, root.kindNumber, root.roomNumber, root.seq, max(seq, root.seq)
        ).first { row throws(PostgresError) in try row.next() }
    }

    /// The threads of these rooms of a workspace that the user follows, after a place in the list. Replies of `blocked` authors count for
    /// nothing.
    func list(
        of user: UserID, hiding blocked: Set<UserID>, in rooms: [RoomID], of workspace: WorkspaceID,
        after cursor: ThreadCursor, limit: Int
    ) async throws -> [Followed] {
        try await database.query(
            Self.followed, user, workspace, rooms.map(\.kindNumber), rooms.map(\.rawValue), cursor.rank,
            -cursor.lastAt.milliseconds, cursor.room, cursor.root, limit, MessageMention.numbers(of: user),
            Array(blocked)
        ).map { row throws(PostgresError) in
            let root = try row.nextMessageKey()
            let last = MessageKey(root.roomKey, seq: try row.next())
            let (lastAt, readSeq): (Timestamp, Int64) = (try row.next(), try row.next())
            return Followed(
                root: root, last: last, lastAt: lastAt, unread: try row.next(), mentions: try row.next(),
                readSeq: readSeq)
        }
    }

    /// The unread replies of the threads of these rooms of a workspace that the user follows, and those among them that mention the user.
    /// Replies of `blocked` authors count for nothing.
    func counts(
        of user: UserID, hiding blocked: Set<UserID>, in rooms: [RoomID], of workspace: WorkspaceID
    ) async throws -> ThreadCounts {
        try await database.query(
            Self.counts, user, workspace, rooms.map(\.kindNumber), rooms.map(\.rawValue),
            MessageMention.numbers(of: user),
            Array(blocked)
        ).first { row throws(PostgresError) in
            ThreadCounts(unread: try row.next(), mentions: try row.next())
        } ?? ThreadCounts(unread: 0, mentions: 0)
    }
}
