import EventLoop
import ServiceKit
import Wire

/// Writes the reservations and releases of a loop's sockets in batches: requests that come during a write form the next
/// batch, so a message costs one round trip to Redis for all rooms and sockets of the loop. Failed writes are repeated.
///
/// - Note: `@unchecked Sendable` because it is confined to its loop.
final class CursorWriter: @unchecked Sendable {
    private struct Reservation {
        var seq: Int64
        weak var room: RoomDriver?
    }

    /// The loop's name in Redis, different after each start.
    let loopName: String
    private let loop: EventLoop
    private let store: SessionCursorStore
    private var reservations: [RoomID: Reservation] = [:]
    private var releases: [SessionCursors.Release] = []
    private var isWriting = false
    /// Tasks that wait until everything is written.
    private var waits: [CheckedContinuation<Void, Never>] = []

    private static let pauseAfterFailure = Duration.milliseconds(100)
    /// Beyond this number the oldest are dropped: their sessions go on from where they may have been sent to.
    private static let mostReleases = 100_000

    init(on loop: EventLoop, store: SessionCursorStore) {
        self.loop = loop
        self.store = store
        loopName = String(UInt64.random(in: .min ... .max), radix: 36)
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

    /// Tells the room once Redis knows that its sockets may have been sent everything up to `seq`.
    func reserve(_ room: RoomDriver, through seq: Int64) {
        reservations[room.room] = Reservation(seq: max(seq, reservations[room.room]?.seq ?? 0), room: room)
        start()
    }

    /// A socket is sent nothing more.
    func release(_ release: SessionCursors.Release) {
        if releases.count >= Self.mostReleases { releases.removeFirst(Self.mostReleases / 2) }
        releases.append(release)
        start()
    }

    private func start() {
        guard !isWriting else { return }
        isWriting = true
        // All requests of this turn go together.
        loop.executeAtEndOfTurn { [self] in
            Task.immediate(executorPreference: loop) { await write() }
        }
    }

    private func write() async {
        while !reservations.isEmpty || !releases.isEmpty {
            let (wanted, left) = (reservations, releases)
            (reservations, releases) = ([:], [])
            let rooms = Array(wanted.keys)
            async let released = store.write(left)
            let reserved = await store.reserve(rooms.map { ($0, wanted[$0]?.seq ?? 0) }, for: loopName)
            var hasFailed = false
            for (room, isWritten) in zip(rooms, reserved) {
                guard let reservation = wanted[room], let room = reservation.room else { continue }
                if isWritten {
                    room.handle { $0.reserved(through: reservation.seq, &$1) }
                } else {
                    hasFailed = true
                    reserve(room, through: reservation.seq)
                }
            }
            let lost = zip(left, await released).filter { !$0.1 }.map(\.0)
            releases.insert(contentsOf: lost, at: 0)
            if hasFailed || !lost.isEmpty { try? await loop.sleep(for: Self.pauseAfterFailure) }
        }
        isWriting = false
        endWaits()
    }
}
