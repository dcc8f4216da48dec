import Contract
import Postgres
import Wire

/// Advisory locks of rooms. A transaction that adds to the order of rooms takes their locks first and holds them until
/// it ends. Its later statements therefore see everything that was committed in those rooms.
enum RoomLocks {
    /// Locks in the given order. An advisory lock costs a sixth of a row lock.
    fileprivate static let take = Statement.write(
        "lock rooms", "select count(pg_advisory_xact_lock(number)) from unnest($1::bigint[]) as wanted (number)")
}

extension PostgresBatch {
    /// Locks rooms in the order of their ids, so that two transactions cannot deadlock.
    mutating func lock(_ rooms: [RoomID]) throws(PostgresError) {
        try add(RoomLocks.take, rooms.sorted().map(\.lockNumber))
    }
}

extension RoomID {
    /// The number of the room's advisory lock. Instances of other releases take the same lock, so it never changes.
    fileprivate var lockNumber: Int64 { (Int64(kindNumber) << 56) &+ rawValue }
}
