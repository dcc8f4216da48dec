import EventLoop
import ServiceKit
import Wire

/// Writes the reservations and releases of a loop's sockets in batches: requests that come during a write form the next
/// batch, so a message costs one round trip to Redis for all rooms and sockets of the loop. Failed writes are repeated.
///
/// It remembers for a minute where sockets have left, and writes that again for a Redis that may have lost it.
///
/// A room's reservation follows the releases of its sockets: it must not count for a socket that had left before.
///
/// - Note: `@unchecked Sendable` because it is confined to its loop.
final class CursorWriter: @unchecked Sendable {
    private struct Reservation {
        let seq: Int64
        let written: (Int64) -> Void
    }

    /// The loop's name in Redis, different after each start.
    let loopName: String
    private let loop: EventLoop
    private let store: SessionCursorStore
    private var reservations: [RoomID: Reservation] = [:]
    private var releases: [SessionCursors.Release] = []
    private var recent = RecentCursors()
    private var isWriting = false
    /// Tasks that wait until everything is written.
    private var waits: [CheckedContinuation<Void, Never>] = []

    private let mostReleases: Int

    private static let pauseAfterFailure = Duration.milliseconds(100)

    /// - Parameter mostReleases: beyond this number the oldest are dropped. Their sessions go on from where they may have
    ///   been sent to.
    init(on loop: EventLoop, store: SessionCursorStore, mostReleases: Int = 100_000) {
        self.loop = loop
        self.store = store
        self.mostReleases = mostReleases
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

    /// Writes that a room's sockets may have been sent everything up to `seq`.
    ///
    /// - Parameter written: called once Redis has it, with the seq that was written. Of several requests only the last one
    ///   is answered.
    func reserve(_ room: RoomID, through seq: Int64, written: @escaping (Int64) -> Void) {
        reservations[room] = Reservation(seq: max(seq, reservations[room]?.seq ?? 0), written: written)
        start()
    }

    /// A socket is sent nothing more.
    func release(_ release: SessionCursors.Release) {
        if releases.count >= mostReleases { releases.removeFirst(mostReleases / 2) }
        releases.append(release)
        start()
    }

    /// A socket has left to which repeated messages are harmless; its client had confirmed everything up to `seq`.
    func left(_ session: SessionID, _ room: RoomID, confirmed seq: Int64) {
        recent.note(.confirmed(session, room, seq: seq), at: loop.now)
    }

    /// Writes again where sockets have left lately. Returns whether all was written.
    func rewriteRecent() async -> Bool { await store.rewrite(recent.all(at: loop.now)) }

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
            let leftRooms = Set(left.map(\.room))
            async let released = store.write(left)
            var isWritten = await reserve(wanted.filter { !leftRooms.contains($0.key) })
            let outcomes = await released
            for (release, outcome) in zip(left, outcomes) where outcome == .written {
                recent.note(.release(release), at: loop.now)
            }
            let lost = zip(left, outcomes).filter { $0.1 == .lost }.map(\.0)
            releases.insert(contentsOf: lost, at: 0)
            let lostRooms = Set(lost.map(\.room))
            for (room, reservation) in wanted where lostRooms.contains(room) { keep(reservation, of: room) }
            let held = wanted.filter { leftRooms.contains($0.key) && !lostRooms.contains($0.key) }
            if !held.isEmpty { isWritten = await reserve(held) && isWritten }
            if !isWritten || !lost.isEmpty { try? await loop.sleep(for: Self.pauseAfterFailure) }
        }
        isWriting = false
        endWaits()
    }

    /// Writes reservations, and keeps those that failed. Returns whether all were written.
    private func reserve(_ wanted: [RoomID: Reservation]) async -> Bool {
        let rooms = Array(wanted)
        let outcomes = await store.reserve(rooms.map { ($0.key, $0.value.seq) }, for: loopName)
        for ((room, reservation), isWritten) in zip(rooms, outcomes) {
            if isWritten { reservation.written(reservation.seq) } else { keep(reservation, of: room) }
        }
        return outcomes.allSatisfy(\.self)
    }

    /// A reservation that failed is written with the next batch, unless a later one takes its place.
    private func keep(_ reservation: Reservation, of room: RoomID) {
        if let later = reservations[room], later.seq >= reservation.seq { return }
        reservations[room] = reservation
    }
}
