import Contract
import Postgres
import Wire

/// Messages as operators see them: their way to the gateways, without texts.
struct OperatorMessageStore: Sendable {
    let database: PostgresPool
    /// Whether the outbox is beside the messages of its workspace, on one of several servers.
    let isDivided: Bool

    /// A message and its row of the outbox.
    struct Summary: Sendable {
        let id: ChatID
        let author: UserID
        let committedAt: Timestamp
        let deletedAt: Timestamp?
        let isScheduled: Bool
        let publication: Publication
    }

    enum Publication: Sendable, Equatable {
        /// The row of the outbox is not marked as published.
        case waiting
        case published(at: Timestamp)
        /// The row was published and is deleted: see `OutboxRetention`.
        case forgotten
    }

    /// Rows of the outbox have no index by message. They are kept for a minute after all services have read them.
    private static let find = Statement.read(
        "message for operator",
        """
        select m.id, m.author, m.created_at, m.deleted_at, m.is_scheduled, row.id is not null, row.published_at
        from message m
        left join lateral (
            select o.id, o.published_at from outbox o
            where o.type = 'messages' and position('[' || $1 || ',' || $2 || ',' || $3 || ']' in o.body) > 0
            order by o.id limit 1
        ) as row on true
        where m.workspace = $4 and m.kind = $1::smallint and m.room = $2::bigint and m.seq = $3::bigint
        """)
    private static let findInPart = Statement.read(
        "message for operator in part",
        """
        select m.id, m.author, m.created_at, m.deleted_at, m.is_scheduled, row.id is not null, row.published_at
        from message m
        left join lateral (
            select o.id, o.published_at from outbox o
            where o.workspace = $4 and o.type = 'messages'
                and position('[' || $1 || ',' || $2 || ',' || $3 || ']' in o.body) > 0
            order by o.id limit 1
        ) as row on true
        where m.workspace = $4 and m.kind = $1::smallint and m.room = $2::bigint and m.seq = $3::bigint
        """)

    /// Nil if there is no such message.
    func find(_ seq: Int64, in room: RoomKey) async throws -> Summary? {
        try await database.query(
            isDivided ? Self.findInPart : Self.find, room.kindNumber, room.rawValue, seq, room.workspace
        ).first(Self.summary)
    }

    private static func summary(_ row: inout Row) throws(PostgresError) -> Summary {
        Summary(
            id: try row.next(), author: try row.next(), committedAt: try row.next(), deletedAt: try row.next(),
            isScheduled: try row.next(), publication: try publication(&row))
    }

    private static func publication(_ row: inout Row) throws(PostgresError) -> Publication {
        let (isKept, at): (Bool, Int64?) = (try row.next(), try row.next())
        guard isKept else { return .forgotten }
        return at.map { .published(at: Timestamp(milliseconds: $0)) } ?? .waiting
    }
}
