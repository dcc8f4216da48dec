import EventLoop
import ServiceKit
import Wire

/// Writes the positions of a loop's sockets, a batch at a time: what comes while one is under way makes up the next, so
/// that a message costs one round trip to Redis for all rooms and sockets of the loop. What does not arrive is written
/// again.
///
/// - Note: `@unchecked Sendable` because it is confined to its loop.
final class PositionWriter: @unchecked Sendable {
    private struct Reservation {
        var seq: Int64
        weak var feed: RoomFeed?
    }

    /// What this loop's feeds are called, different after each start.
    let feed: String
    private let loop: EventLoop
    private let store: PositionStore
    private var reservations: [RoomID: Reservation] = [:]
    private var leavings: [SessionCursors.Leaving] = []
    private var isWriting = false
    /// Those who wait until everything is written.
    private var waits: [CheckedContinuation<Void, Never>] = []

    private static let pauseAfterFailure = Duration.milliseconds(100)
    /// Beyond this the oldest are lost: their sessions go on from where they may have been sent to.
    private static let mostLeavings = 100_000

    init(on loop: EventLoop, store: PositionStore) {
        self.loop = loop
        self.store = store
        feed = String(UInt64.random(in: .min ... .max), radix: 36)
    }

    /// Returns when everything is written, or after a time.
    func settle(within limit: Duration) async {
        guard isWriting else { return }
        let alarm = loop.schedule(after: limit) { [weak self] in self?.endWaits() }
        await withCheckedContinuation { waits.append($0) }
        alarm.cancel()
    }

    private func endWaits() {
        let ended = waits
        waits = []
        for wait in ended { wait.resume() }
    }

    /// Tells the feed once it stands that its sockets may have been sent everything up to `seq`.
    func reserve(_ feed: RoomFeed, through seq: Int64) {
        reservations[feed.room] = Reservation(seq: max(seq, reservations[feed.room]?.seq ?? 0), feed: feed)
        start()
    }

    /// A socket gets nothing more.
    func release(_ leaving: SessionCursors.Leaving) {
        if leavings.count >= Self.mostLeavings { leavings.removeFirst(Self.mostLeavings / 2) }
        leavings.append(leaving)
        start()
    }

    private func start() {
        guard !isWriting else { return }
        isWriting = true
        // Everything that this turn brings goes together.
        loop.atEndOfTick { [self] in
            Task.immediate(executorPreference: loop) { await write() }
        }
    }

    private func write() async {
        while !reservations.isEmpty || !leavings.isEmpty {
            let (wanted, left) = (reservations, leavings)
            (reservations, leavings) = ([:], [])
            let rooms = Array(wanted.keys)
            async let released = store.release(left)
            let reserved = await store.reserve(rooms.map { ($0, wanted[$0]?.seq ?? 0) }, for: feed)
            var hasFailed = false
            for (room, stands) in zip(rooms, reserved) {
                guard let reservation = wanted[room], let feed = reservation.feed else { continue }
                if stands {
                    feed.reserved(through: reservation.seq)
                } else {
                    hasFailed = true
                    reserve(feed, through: reservation.seq)
                }
            }
            let lost = zip(left, await released).filter { !$0.1 }.map(\.0)
            leavings.insert(contentsOf: lost, at: 0)
            if hasFailed || !lost.isEmpty { try? await loop.sleep(for: Self.pauseAfterFailure) }
        }
        isWriting = false
        endWaits()
    }
}
