import Contract
import Postgres
import Wire

/// Finds and erases the rows of a deleted account.
struct UserErasureStore: Sendable {
    let database: PostgresPool

    private static let ownRows = Statement.write(
        "erase own rows",
        """
        with settings as (delete from user_settings where user_id = $1),
        levels as (delete from room_notify where user_id = $1),
        drafts as (delete from draft where user_id = $1),
        later as (delete from scheduled where user_id = $1 returning files),
        freed as (
            update file set is_sent = false
            where name in (select substring(path from '[^_]*$') from later, unnest(later.files) as path)
        ),
        followed as (delete from thread_follower where user_id = $1),
        mentioned as (delete from mention where user_id = $1),
        bookmarks as (delete from saved_message where user_id = $1),
        runs as (delete from command_run where user_id = $1),
        standings as (delete from standing where user_id = $1),
        reported as (update report set reporter = null where reporter = $1)
        delete from storage where kind = 1 and id = $1
        """)
    /// A statement of its own after `ownRows`, which does not see the name that a send has left during it.
    private static let sent = Statement.write(
        "erase names of sent scheduled messages of user", "delete from scheduled_sent where user_id = $1")
    private static let reactions = Statement.read(
        "reactions of user",
        """
        select room.workspace, r.kind, r.room, r.seq, r.emoji, room.name
        from (select workspace, kind, room, seq, emoji from reaction where user_id = $1 limit $2) as r
        join room on room.workspace = r.workspace and room.kind = r.kind and room.id = r.room
        order by r.kind, r.room, r.seq
        """)
    /// By the messages, one by one: the user can have many more reactions.
    private static let eraseReactions = Statement.write(
        "erase reactions",
        """
        delete from reaction r
        using unnest($2::smallint[], $3::bigint[], $4::bigint[]) as done (kind, room, seq)
        cross join lateral (
            select ctid as address from reaction
            where workspace = $5::bigint and kind = done.kind and room = done.room and seq between done.seq and done.seq
                and user_id = $1::bigint
            order by seq
        ) as found
        where r.workspace = $5 and r.ctid = found.address
        """)
    /// After leaving a channel or a workspace, a user has a removal in each of its rooms.
    private static let rooms = Statement.read(
        "rooms of user",
        """
        select workspace, kind, room from read_position where user_id = $1
        union select workspace, kind, room from removal where user_id = $1
        union select workspace, 2::smallint, id from dm where low = $1
        union select workspace, 2::smallint, id from dm where high = $1
        order by 1, 2, 3
        """)
    private static let target = Statement.read(
        "room of erasure", "select name from room where workspace = $1 and kind = $2 and id = $3")
    /// The room's head comes with them: they are one question for each room.
    private static let messages = Statement.read(
        "messages of user in room",
        """
        select last_seq, array(
            select seq from message
            where workspace = $6 and kind = $1 and room = $2 and seq > $3 and seq <= $3::bigint + $4::bigint
                and author = $5 and deleted_at is null order by seq
        )
        from room where workspace = $6 and kind = $1 and id = $2
        """)
    private static let traces = Statement.write(
        "erase traces in room",
        """
        with versions as (
            delete from message_version where workspace = $4 and kind = $1 and room = $2 and written_by = $3
        ), files as (
            update file set author = null where workspace = $4 and kind = $1 and room = $2 and author = $3
        )
        delete from read_position where workspace = $4 and kind = $1 and room = $2 and user_id = $3
        """)

    /// Erases the rows that only the user sees.
    func eraseOwnRows(of user: UserID) async throws {
        var batch = PostgresBatch()
        for statement in [Self.ownRows, Self.sent] { try batch.add(statement, user) }
        try await database.run(batch)
    }

    /// Some reactions of a user by room and message, as changes that take them back.
    func reactions(of user: UserID, limit: Int) async throws -> [PendingChange] {
        try await database.query(Self.reactions, user, limit).map { row throws(PostgresError) in
            try PendingChange(takingBackFor: user, row: &row)
        }
    }

    /// Erases the rest of a user's reactions to the messages of changes.
    func erase(_ reactions: [PendingChange], of user: UserID) async throws {
        for (workspace, reactions) in Dictionary(grouping: reactions, by: \.target.workspace) {
            try await database.execute(
                Self.eraseReactions, user, reactions.map { $0.target.room.kindNumber },
                reactions.map { $0.target.room.rawValue }, reactions.map(\.seq), workspace)
        }
    }

    /// The rooms that a user has read, was removed from, or has as a DM.
    func rooms(of user: UserID) async throws -> [RoomKey] {
        try await database.query(Self.rooms, user).map { row throws(PostgresError) in try row.nextRoomKey() }
    }

    /// A room as changes name it; nil if it has no message.
    func target(_ room: RoomKey) async throws -> MessageTarget? {
        try await database.query(Self.target, room.workspace, room.kindNumber, room.rawValue).first {
            row throws(PostgresError) in
            MessageTarget(room: room.id, workspace: room.workspace, name: try row.next())
        }
    }

    /// The user's messages in a room among the `span` messages after a seq; nil at the room's end.
    func messages(
        of user: UserID, in room: RoomKey, after seq: Int64, span: Int64
    ) async throws -> (seqs: [Int64], end: Int64)? {
        let found = try await database.query(
            Self.messages, room.kindNumber, room.rawValue, seq, span, user, room.workspace
        ).first {
            row throws(PostgresError) in (head: try row.next(as: Int64.self), seqs: try row.next(as: [Int64].self))
        }
        guard let found, seq < found.head else { return nil }
        return (found.seqs, seq + span)
    }

    /// Erases earlier texts, the authorship of files and the read marker of a user in a room.
    func eraseTraces(of user: UserID, in room: RoomKey) async throws {
        try await database.execute(Self.traces, room.kindNumber, room.rawValue, user, room.workspace)
    }
}

extension PendingChange {
    /// A change that takes a reaction of a user back. Reads the columns workspace, kind, room, seq, emoji, name of the room.
    init(takingBackFor user: UserID, row: inout Row) throws(PostgresError) {
        let key = try row.nextMessageKey()
        let emoji = try row.next(as: String.self)
        let target = MessageTarget(room: key.room, workspace: key.workspace, name: try row.next())
        self.init(target: target, seq: key.seq, user: user, kind: .unreact(Emoji(stored: emoji)))
    }
}
