import Contract
import Postgres
import Wire

/// Advisory locks of rooms. A transaction that adds to the order of rooms takes their locks first and holds them until
/// it ends. Its later statements therefore see everything that was committed in those rooms.
enum RoomLocks {
    /// Locks in the given order. An advisory lock costs a sixth of a row lock.
    fileprivate static let take = Statement.write(
        "lock rooms",
        """
        select count(pg_advisory_xact_lock((kind::bigint << 56) + id))
        from unnest($1::smallint[], $2::bigint[]) as wanted (kind, id)
        """)
}

extension PostgresBatch {
    /// Locks rooms in the order of their ids, so that two transactions cannot deadlock.
    mutating func lock(_ rooms: [RoomID]) throws(PostgresError) {
        let rooms = rooms.sorted()
        try add(RoomLocks.take, rooms.map(\.kindNumber), rooms.map(\.rawValue))
    }
}
