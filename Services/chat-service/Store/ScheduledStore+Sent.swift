import Contract
import Postgres
import Wire

/// The end of scheduled messages, and the names of those that were sent.
extension ScheduledStore {
    /// A message that was sent, as a repeated call needs it.
    struct Sent: Sendable {
        let id: ScheduledID
        let at: Timestamp
        let createdAt: Timestamp
        /// None for a message that was deleted.
        let files: [String]
        /// That of the send; nil for a message that was deleted.
        let digest: [UInt8]?
    }

    /// How long the names of sent messages are kept at least.
    private static let memory = Duration.seconds(30 * 86_400)
    /// The most names that the end of a send forgets. An author may have very many after a long pause, and the send could not end in time.
    private static let mostForgotten: Int64 = 100

    private static let finish = Statement.write(
        "finish scheduled message", "delete from scheduled where workspace = $2 and id = $1")
    /// A statement of its own before `note`, so that `note` sees all that was committed during the wait for the lock.
    private static let lock = Statement.write(
        "lock sent scheduled message", "select id from scheduled where workspace = $1 and id = $2 for update")
    /// Nothing for a message that is gone: its author or its room may have been erased meanwhile, and nothing would erase the name later.
    private static let note = Statement.write(
        "note sent scheduled message",
        """
        insert into scheduled_sent (workspace, user_id, kind, room, client_id, id, send_at, created_at, sent_at)
        select workspace, user_id, kind, room, client_id, id, send_at, created_at, $3::bigint from scheduled
        where workspace = $1 and id = $2
        on conflict do nothing
        """)
    private static let forget = Statement.write(
        "forget sent scheduled messages",
        """
        with portion as materialized (
            select ctid from scheduled_sent where workspace = $1 and user_id = $2 and sent_at < $3
            order by sent_at limit $4 for update skip locked
        )
        delete from scheduled_sent r using portion where r.workspace = $1 and r.ctid = portion.ctid
        """)
    private static let sent = Statement.read(
        "sent scheduled message by name",
        """
        select s.id, s.send_at, s.created_at, coalesce(m.files, '{}'), m.digest
        from scheduled_sent s left join message m
            on m.workspace = $2 and m.kind = s.kind and m.room = s.room and m.author = s.user_id
            and m.client_id = 'scheduled:' || s.id::text
        where s.workspace = $2 and s.user_id = $1 and s.kind = $3 and s.room = $4 and s.client_id = $5
        """)

    /// Deletes a message that was sent, and keeps the name of the call that scheduled it.
    func finish(_ message: ScheduledMessage, now: Timestamp) async throws {
        var batch = PostgresBatch()
        if message.clientID != nil {
            try batch.add(Self.lock, message.workspace, message.id)
            try batch.add(Self.note, message.workspace, message.id, now.milliseconds)
            try batch.add(
                Self.forget, message.workspace, message.author, (now - Self.memory).milliseconds, Self.mostForgotten)
        }
        try batch.add(Self.finish, message.id, message.workspace)
        try await database.run(batch)
    }

    /// The message that an earlier call with the same `client_id` has scheduled and that was sent; nil if there is none.
    func findSent(_ request: SendRequest, to target: MessageTarget, by user: UserID) async throws -> Sent? {
        guard let clientID = request.clientID else { return nil }
        return try await database.query(
            Self.sent, user, target.workspace, target.room.kindNumber, target.room.rawValue, clientID
        ).first { row throws(PostgresError) in
            Sent(
                id: try row.next(), at: Timestamp(milliseconds: try row.next()),
                createdAt: Timestamp(milliseconds: try row.next()), files: try row.next(), digest: try row.next())
        }
    }
}
