import Contract
import Wire

/// Remembers for operators how many sockets of its loop got each recent message live.
///
/// - Note: `@unchecked Sendable` because it is confined to its loop.
final class RecentDeliveries: @unchecked Sendable {
    struct Delivery {
        let room: RoomID
        let seq: Int64
        let sockets: UInt64
        let at: Timestamp
    }

    static let capacity = 10_000

    /// Deliveries after this moment are all here.
    private(set) var since: Timestamp
    private var deliveries: [Delivery] = []
    /// The place of the oldest delivery once all places are taken.
    private var oldest = 0

    init(since: Timestamp) { self.since = since }

    func note(room: RoomID, seq: Int64, sockets: UInt64, at now: Timestamp) {
        let delivery = Delivery(room: room, seq: seq, sockets: sockets, at: now)
        guard deliveries.count == Self.capacity else { return deliveries.append(delivery) }
        since = deliveries[oldest].at
        deliveries[oldest] = delivery
        oldest = (oldest + 1) % Self.capacity
    }

    func find(_ seq: Int64, in room: RoomID) -> Delivery? {
        deliveries.first { $0.seq == seq && $0.room == room }
    }
}
