import Contract
import Postgres
import Wire

/// The locks of rooms. Who gives something a place in the order of rooms takes theirs before anything else and has them until
/// the transaction ends. What a statement behind that sees of those rooms is all that there is.
enum RoomLocks {
    /// Taken one behind the other as they are given. A lock of a number costs a sixth of one of a row.
    fileprivate static let take = Statement.write(
        "lock rooms",
        """
        select count(pg_advisory_xact_lock((kind::bigint << 56) + id))
        from unnest($1::smallint[], $2::bigint[]) as wanted (kind, id)
        """)
}

extension PostgresBatch {
    /// Takes the locks of rooms, in the order of their ids, so that two transactions never wait for each other in a circle.
    mutating func lock(_ rooms: [RoomID]) throws(PostgresError) {
        let rooms = rooms.sorted()
        try add(RoomLocks.take, rooms.map(\.kindNumber), rooms.map(\.rawValue))
    }
}
