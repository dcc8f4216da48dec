import Contract
import Postgres
import Wire

/// Reads why a message was pushed or not, and the outcomes of its pushes.
struct PushDecisionStore: Sendable {
    let database: PostgresPool

    /// The decision about one member.
    struct Decision: Sendable {
        let user: UserID
        let reason: String
        let decidedAt: Timestamp
    }

    /// A push to one device, without the device's token.
    struct Push: Sendable {
        let user: UserID
        let attempts: Int32
        /// Nil until it is done.
        let outcome: String?
        let doneAt: Timestamp?
    }

    private static let decisions = Statement.read(
        "decisions about message",
        """
        select user_id, reason, decided_at
        from push_decision, unnest(users, reasons) as decided (user_id, reason)
        where kind = $1 and room = $2 and seq = $3 order by user_id
        """)
    private static let pushes = Statement.read(
        "pushes of message",
        """
        select user_id, attempts, outcome, done_at from push
        where kind = $1 and room = $2 and seq = $3 order by user_id, device
        """)

    /// All decisions about a message, in the order of the members' ids.
    func decisions(about seq: Int64, in room: RoomID) async throws -> [Decision] {
        try await database.query(Self.decisions, Int16(room.kind.rawValue), room.rawValue, seq)
            .map { row throws(PostgresError) in
                Decision(
                    user: try row.next(), reason: try row.next(),
                    decidedAt: Timestamp(milliseconds: try row.next()))
            }
    }

    /// The pushes of a message, in the order of the members' ids.
    func pushes(of seq: Int64, in room: RoomID) async throws -> [Push] {
        try await database.query(Self.pushes, Int16(room.kind.rawValue), room.rawValue, seq)
            .map { row throws(PostgresError) in
                Push(
                    user: try row.next(), attempts: try row.next(), outcome: try row.next(),
                    doneAt: try row.next(as: Int64?.self).map { Timestamp(milliseconds: $0) })
            }
    }
}
