import Contract
import Postgres
import Wire

/// Rooms as operators see them: without messages.
struct OperatorRoomStore: Sendable {
    let database: PostgresPool
    /// Nil for tables on one server.
    var finder: WorkspaceFinder?

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
    /// For a channel the planner leaves `dm` out before it locks a part of it; beside a left join it would lock all parts.
    private static let findAmong = Statement.read(
        "room for operator among some workspaces",
        """
        select coalesce(r.workspace, d.workspace), r.name, coalesce(r.last_seq, 0), coalesce(r.rev, 0),
            coalesce(r.last_at, 0), coalesce(r.is_closed, false),
            case when d.id is null then '{}'::bigint[] else array[d.low, d.high] end
        from (select * from room where workspace = any($3::bigint[]) and kind = $1::smallint and id = $2::bigint) r
        full join (select * from dm where workspace = any($3::bigint[]) and $1::smallint = 2 and id = $2::bigint) d on true
        """)

    /// Nil if there is no such room.
    ///
    /// - Throws: E99 if a part of a divided schema is out of reach, and no other has the room.
    func find(_ room: RoomID) async throws -> Summary? {
        let (kind, id) = (room.kindNumber, room.rawValue)
        guard let finder else { return try await database.query(Self.find, kind, id).first(Self.summary) }
        return try await finder.findOne(
            all: { tx in try await tx.query(Self.find, kind, id).first(Self.summary) },
            among: { tx, part in try await tx.query(Self.findAmong, kind, id, part).first(Self.summary) })
    }

    private static func summary(_ row: inout Row) throws(PostgresError) -> Summary {
        Summary(
            workspace: try row.next(), name: try row.next(), head: try row.next(), revision: try row.next(),
            lastAt: try row.next(), isClosed: try row.next(), users: try row.next())
    }
}
