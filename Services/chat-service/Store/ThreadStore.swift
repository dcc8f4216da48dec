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
        "select coalesce(thread, seq) from message where kind = $1 and room = $2 and seq = $3")
    private static let replies = Statement.read(
        "replies of thread",
        """
        select m.kind, m.room, r.workspace, m.seq, m.id, m.author, m.session, m.content, m.files, m.created_at,
            m.client_id, m.rev, m.edited_at, m.deleted_at, m.thread, m.is_aside, m.mentions, m.is_scheduled
        from (
            select * from reply where kind = $1 and room = $2 and root = $3 and seq > $4 order by seq limit $5
        ) as reply join message m using (kind, room, seq) join room r on r.kind = m.kind and r.id = m.room
        order by m.seq
        """)
    private static let following = Statement.read(
        "follower of thread",
        """
        select is_following, read_seq from thread_follower
        where user_id = $1 and kind = $2 and room = $3 and root = $4
        """)
    /// A new follower has read the replies so far.
    private static let follow = Statement.write(
        "follow thread",
        """
        insert into thread_follower (user_id, kind, room, root, is_following, read_seq)
        select $1, $2, $3, $4, $5, coalesce((select last_seq from thread where kind = $2 and room = $3 and root = $4), $4)
        on conflict (user_id, kind, room, root) do update set is_following = excluded.is_following,
            read_seq = case
                when thread_follower.is_following or not excluded.is_following then thread_follower.read_seq
                else excluded.read_seq end
        """)
    private static let read = Statement.write(
        "move read marker of thread",
        """
        insert into thread_follower (user_id, kind, room, root, is_following, read_seq)
        select $1::bigint, m.kind, m.room, m.seq, false, least($5, coalesce(t.last_seq, m.seq))
        from message m left join thread t on t.kind = m.kind and t.room = m.room and t.root = m.seq
        where m.kind = $2 and m.room = $3 and m.seq = $4 and (m.deleted_at is null or t.count > 0)
        on conflict (user_id, kind, room, root) do update
            set read_seq = greatest(thread_follower.read_seq, excluded.read_seq)
        returning read_seq
        """)
    /// Threads with unread replies first, then by the newest reply. A user without blocks costs no look at the replies.
    private static let followed = Statement.read(
        "followed threads",
        """
        select kind, room, root, last_seq, last_at, read_seq, (
                select count(*) from reply r where r.kind = page.kind and r.room = page.room and r.root = page.root
                    and r.seq > page.read_seq and r.is_aside and (cardinality($10::bigint[]) = 0 or (
                        select m.author from message m where m.kind = r.kind and m.room = r.room and m.seq = r.seq
                    ) <> all($10::bigint[]))
            ), (
                select count(distinct r.seq) from reply r join mention n using (kind, room, seq)
                where r.kind = page.kind and r.room = page.room and r.root = page.root and r.seq > page.read_seq
                    and r.is_aside and n.user_id = any($9::bigint[]) and (cardinality($10::bigint[]) = 0 or (
                        select m.author from message m where m.kind = r.kind and m.room = r.room and m.seq = r.seq
                    ) <> all($10::bigint[]))
            )
        from (
            select *, case when last_seq > read_seq and exists (
                    select from reply r where r.kind = t.kind and r.room = t.room and r.root = t.root
                        and r.seq > t.read_seq and r.is_aside and (cardinality($10::bigint[]) = 0 or (
                            select m.author from message m where m.kind = r.kind and m.room = r.room and m.seq = r.seq
                        ) <> all($10::bigint[]))) then 0 else 1 end as rank
            from (
                select f.kind, f.room, f.root, f.read_seq, thread.last_seq, thread.last_at
                from unnest($2::smallint[], $3::bigint[]) as w (kind, room)
                join thread_follower f on f.user_id = $1 and f.kind = w.kind and f.room = w.room
                join thread on thread.kind = f.kind and thread.room = f.room and thread.root = f.root
                where f.is_following and thread.count > 0
            ) as t
        ) as page
        where (rank, -last_at, room, root) > ($4::integer, $5::bigint, $6::bigint, $7::bigint)
        order by rank, -last_at, room, root limit $8
        """)
    private static let counts = Statement.read(
        "unread replies of followed threads",
        """
        select count(*), count(*) filter (where exists (
            select from mention n where n.kind = r.kind and n.room = r.room and n.seq = r.seq
                and n.user_id = any($4::bigint[])))
        from unnest($2::smallint[], $3::bigint[]) as w (kind, room)
        join thread_follower f on f.user_id = $1 and f.kind = w.kind and f.room = w.room
        join reply r on r.kind = f.kind and r.room = f.room and r.root = f.root and r.seq > f.read_seq and r.is_aside
        where f.is_following and (cardinality($5::bigint[]) = 0 or (
                select m.author from message m where m.kind = r.kind and m.room = r.room and m.seq = r.seq
            ) <> all($5::bigint[]))
        """)

    /// The root of the thread that a message is in or begins; nil if there is no such message.
    func root(of key: MessageKey) async throws -> Int64? {
        try await database.query(Self.root, key.room.kindNumber, key.room.rawValue, key.seq)
            .first { row throws(PostgresError) in try row.next() }
    }

    /// The replies of a thread after a seq, oldest first, without deleted ones.
    func replies(to root: MessageKey, after seq: Int64, limit: Int) async throws -> [StoredMessage] {
        try MessageStore.read(
            try await database.query(Self.replies, root.room.kindNumber, root.room.rawValue, root.seq, seq, limit))
    }

    /// Nil for a user that has never followed the thread.
    func following(_ root: MessageKey, of user: UserID) async throws -> Following? {
        try await database.query(Self.following, user, root.room.kindNumber, root.room.rawValue, root.seq)
            .first { row throws(PostgresError) in Following(isFollowing: try row.next(), readSeq: try row.next()) }
    }

    func setFollowing(_ isFollowing: Bool, _ root: MessageKey, of user: UserID) async throws {
        try await database.execute(
            Self.follow, user, root.room.kindNumber, root.room.rawValue, root.seq, isFollowing)
    }

    /// Moves a read marker forward, at most to the newest reply, and returns its value; nil for a deleted root without
    /// replies.
    func advance(_ user: UserID, in root: MessageKey, to seq: Int64) async throws -> Int64? {
        try await database.query(
            Self.read, user, root.room.kindNumber, root.room.rawValue, root.seq, max(seq, root.seq)
        ).first { row throws(PostgresError) in try row.next() }
    }

    /// The threads of these rooms that the user follows, after a place in the list. Replies of `blocked` authors count for
    /// nothing.
    func list(
        of user: UserID, hiding blocked: Set<UserID>, in rooms: [RoomID], after cursor: ThreadCursor, limit: Int
    ) async throws -> [Followed] {
        try await database.query(
            Self.followed, user, rooms.map(\.kindNumber), rooms.map(\.rawValue), cursor.rank,
            -cursor.lastAt.milliseconds, cursor.room, cursor.root, limit, MessageMention.numbers(of: user),
            Array(blocked)
        ).map { row throws(PostgresError) in
            let root = try row.nextMessageKey()
            let last = MessageKey(room: root.room, seq: try row.next())
            let (lastAt, readSeq): (Timestamp, Int64) = (try row.next(), try row.next())
            return Followed(
                root: root, last: last, lastAt: lastAt, unread: try row.next(), mentions: try row.next(),
                readSeq: readSeq)
        }
    }

    /// The unread replies of the threads of these rooms that the user follows, and those among them that mention the user.
    /// Replies of `blocked` authors count for nothing.
    func counts(
        of user: UserID, hiding blocked: Set<UserID>, in rooms: [RoomID]
    ) async throws -> ThreadCounts {
        try await database.query(
            Self.counts, user, rooms.map(\.kindNumber), rooms.map(\.rawValue), MessageMention.numbers(of: user),
            Array(blocked)
        ).first { row throws(PostgresError) in
            ThreadCounts(unread: try row.next(), mentions: try row.next())
        } ?? ThreadCounts(unread: 0, mentions: 0)
    }
}
