import EventLoop
import ServiceKit
import Synchronization
import Telemetry
import Wire

/// Keeps the search index in step with the messages. It runs beside the sends: a commit wakes it for the rooms concerned,
/// and a regular look at all rooms finds the rest after a crash.
final class SearchIndexer: Sendable {
    private let store: SearchIndexStore
    private let partitions: SearchPartitions
    private let metrics: SearchMetrics
    /// The part of the time, 0 to 1, in which the index is written. At the limit of its load a service needs the rest for
    /// sends, and the index catches up later.
    private let share: Double
    private let signal = WakeSignal()
    private let waiting = Mutex(Set<RoomID>())

    /// Messages, and changes, in one step.
    static let step = 500
    /// Rooms that are found behind in one look.
    private static let roomsPerLook = 1000
    private static let pauseBetweenLooks = Duration.seconds(30)
    /// Rooms that wait beyond this number are found by the next look.
    private static let maxWaiting = 100_000

    init(store: SearchIndexStore, partitions: SearchPartitions, metrics: SearchMetrics, share: Double) {
        self.store = store
        self.partitions = partitions
        self.metrics = metrics
        self.share = share
    }

    /// Says that messages of these rooms were committed or changed. It may be called on any loop and does not wait.
    func wake(for rooms: some Sequence<RoomID>) {
        waiting.withLock { waiting in
            guard waiting.count < Self.maxWaiting else { return }
            waiting.formUnion(rooms)
        }
        signal.wake()
    }

    /// Indexes until the task is cancelled.
    func run(on loop: EventLoop) async throws {
        while !Task.isCancelled {
            let isWhole = try await catchUp(on: loop)
            if isWhole { try await indexWaiting(on: loop) }
        }
    }

    /// Indexes rooms that are behind. Returns whether these were all.
    private func catchUp(on loop: EventLoop) async throws -> Bool {
        let rooms = try await store.behind(limit: Self.roomsPerLook)
        metrics.setRoomsBehind(rooms.count)
        for room in rooms { _ = try await index(room, on: loop) }
        return rooms.count < Self.roomsPerLook
    }

    /// Indexes rooms as they are named, until it is time for the next look at all rooms.
    private func indexWaiting(on loop: EventLoop) async throws {
        let end = EventLoop.preciseNow + Self.pauseBetweenLooks.wholeNanoseconds
        while EventLoop.preciseNow < end {
            let rooms = waiting.withLock { waiting in
                defer { waiting.removeAll(keepingCapacity: true) }
                return waiting
            }
            if rooms.isEmpty {
                try await signal.sleep(atMost: .nanoseconds(Int64(end - min(end, EventLoop.preciseNow))), on: loop)
            }
            for room in rooms {
                guard let newest = try await index(room, on: loop) else { continue }
                metrics.lag.observe(max(.zero, .now - newest))
            }
        }
    }

    /// Returns the time of the newest message that was indexed, or nil if there was none.
    private func index(_ room: RoomID, on loop: EventLoop) async throws -> Timestamp? {
        var newest: Timestamp?
        while true {
            try Task.checkCancellation()
            let start = EventLoop.preciseNow
            let step = try await store.advance(room, limit: Self.step, hasPartition: partitions.has)
            if let moment = step.missingPartition {
                try await partitions.make(for: moment)
                continue
            }
            metrics.indexed.increment(by: UInt64(step.messages))
            newest = step.newest ?? newest
            let took = Double(EventLoop.preciseNow - start)
            try await loop.sleep(for: .nanoseconds(Int64(took * (1 - share) / share)))
            if step.isLast { return newest }
        }
    }
}
