import Contract
import Postgres
import Wire

/// Rooms as operators see them: without messages.
struct OperatorRoomStore: Sendable {
    let database: PostgresPool

    /// A room with its counters.
    struct Summary: Sendable {
        let workspace: WorkspaceID
        /// A channel's; nil in a DM.
        let name: String?
        let head, revision: Int64
        /// Zero before the first message.
        let lastAt: Timestamp
        let isClosed: Bool
        /// The two users of a DM.
        let users: [UserID]
    }

    private static let find = Statement.read(
        "room for operator",
        """
        select coalesce(r.workspace, d.workspace), r.name, coalesce(r.last_seq, 0), coalesce(r.rev, 0),
            coalesce(r.last_at, 0), coalesce(r.is_closed, false),
            case when d.id is null then '{}'::bigint[] else array[d.low, d.high] end
        from (select $1::smallint as kind, $2::bigint as id) as asked
        left join room r using (kind, id)
        left join dm d on asked.kind = 2 and d.id = asked.id
        where r.id is not null or d.id is not null
        """)

    func find(_ room: RoomID) async throws -> Summary? {
        try await database.query(Self.find, room.kindNumber, room.rawValue).first { row throws(PostgresError) in
            Summary(
                workspace: try row.next(), name: try row.next(), head: try row.next(), revision: try row.next(),
                lastAt: try row.next(), isClosed: try row.next(), users: try row.next())
        }
    }
}
