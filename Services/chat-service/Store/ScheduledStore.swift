import Postgres
import ServiceKit
import Wire

/// The table of scheduled messages.
struct ScheduledStore: Sendable {
    let database: PostgresPool
    /// Nil for tables on one server.
    var finder: WorkspaceFinder?

    private static let insert = Statement.write(
        "insert scheduled message",
        """
        insert into scheduled
            (user_id, session, workspace, kind, room, content, client_id, send_at, created_at, due_at, files, thread,
            to_room)
        select $1::bigint, $2::bigint, $3::bigint, $4::smallint, $5::bigint, $6::text, $7::text, $8::bigint,
            $9::bigint, $8, $11::text[], $12::bigint, $13::boolean
        where (select count(*) from scheduled where user_id = $1) < $10
        on conflict do nothing
        returning id, user_id, session, workspace, kind, room, content, client_id, send_at, created_at, failed_code,
            failed_detail, files, thread, to_room
        """)
    /// A statement of its own after the insert: an insert that has waited for the end of a send does not see the name that it left.
    private static let withdraw = Statement.write(
        "withdraw scheduled message that was sent",
        """
        delete from scheduled
        where user_id = $1 and workspace = $2 and kind = $3 and room = $4 and client_id = $5 and exists (
            select from scheduled_sent
            where user_id = $1 and workspace = $2 and kind = $3 and room = $4 and client_id = $5
        )
        """)
    private static let named = Statement.read(
        "scheduled message by name",
        """
        select id, user_id, session, workspace, kind, room, content, client_id, send_at, created_at, failed_code,
            failed_detail, files, thread, to_room
        from scheduled where user_id = $1 and workspace = $2 and kind = $3 and room = $4 and client_id = $5
        """)
    private static let workspace = Statement.read(
        "workspace of scheduled message", "select workspace from scheduled where id = $1 and user_id = $2")
    private static let files = Statement.read(
        "files of scheduled message", "select files from scheduled where workspace = $3 and id = $1 and user_id = $2")
    private static let list = Statement.read(
        "scheduled messages of user",
        """
        select id, user_id, session, workspace, kind, room, content, client_id, send_at, created_at, failed_code,
            failed_detail, files, thread, to_room
        from scheduled where user_id = $1 and (send_at, id) > ($2, $3) order by send_at, id limit $4
        """)
    /// Not while an instance sends it: its outcome is not known then.
    private static let change = Statement.write(
        "change scheduled message",
        """
        update scheduled set
            content = coalesce($3, content), send_at = coalesce($4, send_at),
            due_at = coalesce($4, greatest(send_at, $5)), attempts = 0, failed_code = null, failed_detail = null
        where workspace = $6 and id = $1 and user_id = $2 and (attempts = 0 or failed_code is not null)
        returning id, user_id, session, workspace, kind, room, content, client_id, send_at, created_at, failed_code,
            failed_detail, files, thread, to_room
        """)
    /// The sweep removes the files if the caller cannot.
    private static let cancel = Statement.write(
        "cancel scheduled message",
        """
        with gone as (
            delete from scheduled
            where workspace = $3 and id = $1 and user_id = $2 and (attempts = 0 or failed_code is not null)
            returning files
        ), freed as (
            update file set is_sent = false
            where workspace = $3 and name in (select substring(path from '[^_]*$') from gone, unnest(gone.files) as path)
        )
        select files from gone
        """)
    private static let isSent = Statement.read(
        "sent scheduled message",
        """
        select exists (
            select from message
            where workspace = $1 and kind = $2 and room = $3 and author = $4
                and client_id = $5)
        """)
    private static let attempts = Statement.read(
        "attempts of scheduled message", "select attempts from scheduled where workspace = $1 and id = $2")
    private static let fail = Statement.write(
        "fail scheduled message",
        "update scheduled set failed_code = $2, failed_detail = $3 where workspace = $4 and id = $1")
    private static let postpone = Statement.write(
        "postpone scheduled message", "update scheduled set due_at = $2 where workspace = $3 and id = $1")

    /// Inserts a message, or returns the one with the same `client_id`; nil if that was sent, or the author has `limit` messages in all
    /// workspaces. Concurrent calls may exceed the limit by a few.
    func insert(
        _ request: SendRequest, files: [String], at: Timestamp, to target: MessageTarget, by caller: Caller, limit: Int,
        now: Timestamp
    ) async throws -> ScheduledMessage? {
        // After the commit: a list that is brought up to date meanwhile may not have the workspace.
        defer { finder?.note(.scheduled, in: target.workspace) }
        var batch = PostgresBatch()
        try batch.add(
            Self.insert, caller.user, caller.session, target.workspace, target.room.kindNumber, target.room.rawValue,
            request.content, request.clientID, at.milliseconds, now.milliseconds, limit, files,
            request.reply?.seq, request.reply?.isInTimeline ?? false)
        guard let clientID = request.clientID else {
            return try await database.run(batch)[0].first(ScheduledMessage.init(row:))
        }
        for statement in [Self.withdraw, Self.named] {
            try batch.add(
                statement, caller.user, target.workspace, target.room.kindNumber, target.room.rawValue, clientID)
        }
        return try await database.run(batch)[2].first(ScheduledMessage.init(row:))
    }

    /// The message that an earlier call with the same `client_id` has stored; nil if there is none.
    func find(_ request: SendRequest, to target: MessageTarget, by user: UserID) async throws -> ScheduledMessage? {
        guard let clientID = request.clientID else { return nil }
        return try await database.query(
            Self.named, user, target.workspace, target.room.kindNumber, target.room.rawValue, clientID
        ).first(ScheduledMessage.init(row:))
    }

    /// The files of a message; none if there is no such message.
    func files(of id: ScheduledID, _ user: UserID) async throws -> [String] {
        guard let workspace = try await workspace(of: id, user) else { return [] }
        return try await database.query(Self.files, id, user, workspace).first { row throws(PostgresError) in
            try row.next(as: [String].self)
        } ?? []
    }

    /// A user's messages by their times, those that failed included.
    func list(of user: UserID, after cursor: ScheduledCursor?, limit: Int) async throws -> [ScheduledMessage] {
        try await database.query(
            Self.list, user, cursor?.at.milliseconds ?? 0, cursor?.id ?? 0, limit
        ).map(ScheduledMessage.init(row:))
    }

    /// Changes a message that waits or has failed; nil if there is none.
    func change(
        _ id: ScheduledID, of user: UserID, content: String?, at: Timestamp?, now: Timestamp
    ) async throws -> ScheduledMessage? {
        guard let workspace = try await workspace(of: id, user) else { return nil }
        return try await database.query(
            Self.change, id, user, content, at?.milliseconds, now.milliseconds, workspace
        ).first(ScheduledMessage.init(row:))
    }

    /// Deletes a message that waits or has failed, and returns its files; nil if there is none.
    func cancel(_ id: ScheduledID, of user: UserID) async throws -> [String]? {
        guard let workspace = try await workspace(of: id, user) else { return nil }
        return try await database.query(Self.cancel, id, user, workspace).first { row throws(PostgresError) in
            try row.next()
        }
    }

    private func workspace(of id: ScheduledID, _ user: UserID) async throws -> WorkspaceID? {
        try await database.query(Self.workspace, id, user).first { row throws(PostgresError) in try row.next() }
    }

    /// Whether an earlier attempt sent the message.
    func isSent(_ message: ScheduledMessage) async throws -> Bool {
        try await database.query(
            Self.isSent, message.workspace, message.room.kindNumber, message.room.rawValue, message.author,
            message.sendID
        ).value()
    }

    /// How often the message was leased since it was scheduled or changed; 0 if it is gone.
    func attempts(of message: ScheduledMessage) async throws -> Int {
        let found = try await database.query(Self.attempts, message.workspace, message.id)
            .first { row throws(PostgresError) in try row.next(as: Int32.self) }
        return found.map { Int($0) } ?? 0
    }

    func fail(_ message: ScheduledMessage, _ refusal: ScheduledMessage.Refusal) async throws {
        try await database.execute(Self.fail, message.id, refusal.code, refusal.detail, message.workspace)
    }

    func postpone(_ message: ScheduledMessage, to moment: Timestamp) async throws {
        try await database.execute(Self.postpone, message.id, moment.milliseconds, message.workspace)
    }
}

extension ScheduledMessage {
    /// Reads the columns id, user_id, session, workspace, kind, room, content, client_id, send_at, created_at,
    /// failed_code, failed_detail, files, thread, to_room.
    init(row: inout Row) throws(PostgresError) {
        id = try row.next()
        author = try row.next()
        session = try row.next()
        workspace = try row.next()
        room = try row.nextRoom()
        content = try row.next()
        clientID = try row.next()
        at = Timestamp(milliseconds: try row.next())
        createdAt = Timestamp(milliseconds: try row.next())
        let (code, detail): (String?, String?) = (try row.next(), try row.next())
        state = code.map { .failed(Refusal(code: $0, detail: detail ?? "")) } ?? .waiting
        files = try row.next()
        let (thread, isInTimeline): (Int64?, Bool) = (try row.next(), try row.next())
        reply = thread.map { ReplyRequest(seq: $0, isInTimeline: isInTimeline) }
    }
}
