import Contract
import Synchronization
import Wire

/// The newest heads of rooms that this instance has committed or shown. A replica that is behind them is not read.
///
/// With commits that wait for a replica this is a second check. It also finds a replica that lacks a commit for which the wait was
/// given up.
final class KnownHeads: Sendable {
    private let heads = Mutex<[RoomID: RoomHead]>([:])
    private let limit: Int

    /// - Parameter limit: beyond this number all are forgotten, about 60 bytes each.
    init(limit: Int = 100_000) { self.limit = limit }

    func note(_ room: RoomID, seq: Int64 = 0, rev: Int64 = 0) {
        heads.withLock { heads in
            let known = heads[room] ?? .empty
            if heads.count >= limit { heads.removeAll() }
            heads[room] = RoomHead(seq: max(known.seq, seq), rev: max(known.rev, rev))
        }
    }

    /// Whether a head is not older than the known one. True for a room of which nothing is known.
    func allow(_ head: RoomHead, of room: RoomID) -> Bool {
        let known = heads.withLock { $0[room] } ?? .empty
        return head.seq >= known.seq && head.rev >= known.rev
    }
}

/// The part of a room that a client has seen for certain, because it names it in its call.
struct SeenPart: Sendable, Equatable {
    var seq: Int64 = 0
    var rev: Int64 = 0
    /// The time of a message.
    var moment: Timestamp?

    /// - Parameter newest: the time of the room's newest message; nil if it has none.
    func isWithin(_ head: RoomHead, newest: Timestamp?) -> Bool {
        seq <= head.seq && rev <= head.rev && moment.map { $0 <= newest ?? .earliest } ?? true
    }
}
