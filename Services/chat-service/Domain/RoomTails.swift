import Contract
import Synchronization
import Telemetry
import Wire

/// Counts the unread messages of a user's rooms from the newest messages of the rooms, which it keeps in memory.
///
/// After a gateway has ended, all users of a room come back together. Only the heads of the rooms and the read markers are read
/// for each of them, in one statement. A kept tail is used while the room's head is the same, and read again otherwise. Rooms with
/// a tail that is too short are counted in Postgres.
final class RoomTails: Sendable {
    private struct State {
        var tails: [RoomKey: RoomTail] = [:]
        var weight = 0

        mutating func keep(_ tail: RoomTail, of room: RoomKey, capacity: Int) {
            if let old = tails.removeValue(forKey: room) { weight -= old.weight }
            guard tail.weight <= capacity else { return }
            if weight + tail.weight > capacity { (tails, weight) = ([:], 0) }
            tails[room] = tail
            weight += tail.weight
        }
    }

    private let messages: MessageStore
    private let capacity: Int
    private let state = Mutex(State())
    private let kept: Counter
    private let read: Counter

    /// - Parameter capacity: bytes; beyond them all tails are forgotten.
    init(messages: MessageStore, capacity: Int = 32 << 20, metrics: MetricsRegistry) {
        self.messages = messages
        self.capacity = capacity
        func counter(_ source: String) -> Counter {
            metrics.counter(
                "maru_room_tails_total", "Rooms in starts of /me sockets, counted from kept messages or read.",
                labels: ["source": source])
        }
        kept = counter("kept")
        read = counter("read")
    }

    /// The counters and newest messages of rooms for a user, as native clients show them. The contents are cut to
    /// `RoomTail.contentLength`.
    ///
    /// - Parameter blocked: authors; their messages count for nothing.
    func states(
        of rooms: [RoomKey], for user: UserID, hiding blocked: Set<UserID>
    ) async throws -> [RoomState] {
        let marked = try await messages.marked(in: rooms, of: user)
        let known = state.withLock { state in marked.map { state.tails[$0.room] } }
        let missing = zip(marked, known).filter { $0.head.seq > 0 && $0.head != $1?.head }.map(\.0.room)
        let found = try await tails(of: missing)
        kept.increment(by: UInt64(marked.count - missing.count))
        read.increment(by: UInt64(missing.count))
        var states: [RoomState] = []
        states.reserveCapacity(marked.count)
        var rest: [RoomKey] = []
        for (room, known) in zip(marked, known) {
            if room.head.seq == 0 {
                states.append(
                    RoomState(
                        room: room.room.id, head: room.head, readMarker: room.marker, unread: 0, mentions: 0,
                        last: nil))
            } else if let tail = known?.head == room.head ? known : found[room.room], tail.head == room.head,
                let state = tail.state(in: room.room.id, of: user, marker: room.marker, hiding: blocked)
            {
                states.append(state)
            } else {
                rest.append(room.room)
            }
        }
        return states
            + (try await messages.states(
                of: rest, for: user, hiding: blocked, upTo: RoomTail.contentLength, inTimeline: true))
    }

    private func tails(of rooms: [RoomKey]) async throws -> [RoomKey: RoomTail] {
        if rooms.isEmpty { return [:] }
        let found = try await messages.tails(of: rooms)
        state.withLock { state in
            for (room, tail) in found where state.tails[room]?.head != tail.head {
                state.keep(tail, of: room, capacity: capacity)
            }
        }
        return found
    }
}
