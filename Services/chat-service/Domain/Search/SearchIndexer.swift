import EventLoop
import ServiceKit
import Synchronization
import Telemetry
import Wire

/// Keeps the search index in step with the messages. It runs beside the sends: a commit wakes it for the rooms concerned,
/// and a regular look at all rooms finds the rest after a crash, a loss of the index or a change of its form.
final class SearchIndexer: Sendable {
    private let store: SearchIndexStore
    private let partitions: SearchPartitions
    private let metrics: SearchMetrics
    private let log: Log
    /// The part of the time, 0 to 1, in which the index is written.
    private let share: Double
    /// The commits of sends, which say when the database is at its limit.
    let commitLoad = CommitLoad()
    private let signal = WakeSignal()
    /// Rooms with new messages or changes, and when the oldest of these were committed.
    private let waiting = Mutex<[RoomKey: UInt64]>([:])
    /// When the oldest commits of rooms were made that a failed step has left out. They go on waiting until a look or a step finds
    /// their rooms indexed.
    private let failed = Mutex<[RoomKey: UInt64]>([:])

    /// Rooms in one step. A step costs little more for many rooms of a workspace than for one.
    static let roomsPerStep = 64
    /// Messages, and changes, in one step, shared by its rooms.
    static let step = 500
    /// Beside sends at the limit of the database, the index takes this part of its share, and catches up later.
    private static let shareAtLimit = 0.3
    /// The part of the time with a commit under way above which the database counts as at its limit.
    private static let limitOfCommits = 0.9
    private static let leastOfRoom = 10
    /// Rooms that are found behind in one look.
    private static let roomsPerLook = 1000
    private static let pauseBetweenLooks = Duration.seconds(30)
    /// Rooms that wait beyond this number are found by the next look.
    private static let maxWaiting = 100_000

    init(store: SearchIndexStore, partitions: SearchPartitions, metrics: SearchMetrics, log: Log, share: Double) {
        self.store = store
        self.partitions = partitions
        self.metrics = metrics
        self.log = log
        self.share = share
    }

    /// Says that messages of these rooms were committed or changed. It may be called on any loop and does not wait.
    func wake(for rooms: some Sequence<RoomKey>) {
        waiting.withLock { waiting in
            guard waiting.count < Self.maxWaiting else { return }
            let now = EventLoop.preciseNow
            for room in rooms where waiting[room] == nil { waiting[room] = now }
        }
        signal.wake()
    }

    /// Indexes until the task is cancelled.
    func run(on loop: EventLoop) async throws {
        var isRebuilding = false
        while !Task.isCancelled {
            let lost = try await partitions.refresh()
            if lost > 0 {
                log.error("the search index was lost and begins anew", ["partitions": .integer(Int64(lost))])
            }
            let backlog = try await store.backlog(limit: Self.roomsPerLook)
            forgetFailures(outside: backlog)
            report(backlog, &isRebuilding)
            try await catchUp(with: backlog, on: loop)
        }
    }

    /// Forgets the failures of rooms that have been indexed since, for example by another instance.
    private func forgetFailures(outside backlog: SearchBacklog) {
        if backlog.hasMore { return }
        let behind = Set(backlog.rooms)
        failed.withLock { failed in failed = failed.filter { behind.contains($0.key) } }
    }

    private func report(_ backlog: SearchBacklog, _ isRebuilding: inout Bool) {
        metrics.found(backlog)
        if backlog.isRebuild {
            isRebuilding = true
            log.info(
                "the search index is being rebuilt",
                ["rooms": .integer(backlog.roomCount), "messages": .integer(backlog.messageCount)])
        } else if isRebuilding, backlog.messageCount == 0 {
            isRebuilding = false
            log.info("the search index is complete")
        }
    }

    /// Indexes the backlog and the rooms that are named meanwhile, until it is time for the next look at all rooms.
    private func catchUp(with backlog: SearchBacklog, on loop: EventLoop) async throws {
        let end = EventLoop.preciseNow + Self.pauseBetweenLooks.wholeNanoseconds
        var rooms = backlog.rooms
        while EventLoop.preciseNow < end {
            // New messages come first, one step of each room, so that a backlog delays none of them for long.
            var commits = Array(takeWaiting())
            while !commits.isEmpty {
                let part = commits.prefix(Self.roomsPerStep)
                let unfinished: Set<RoomKey>
                do {
                    unfinished = try await step(in: part.map(\.key), commits: part.map(\.value), on: loop)
                } catch {
                    keepFailed(commits)
                    throw error
                }
                let rest = part.filter { unfinished.contains($0.key) }
                waiting.withLock { for (room, at) in rest { $0[room] = min($0[room] ?? .max, at) } }
                commits.removeFirst(part.count)
            }
            if !rooms.isEmpty {
                let part = rooms.prefix(Self.roomsPerStep)
                let unfinished = try await step(in: Array(part), commits: nil, on: loop)
                rooms = part.filter(unfinished.contains) + rooms.dropFirst(part.count)
            } else if backlog.hasMore || backlog.isRebuild {
                return
            } else if waiting.withLock(\.isEmpty) {
                try await signal.sleep(atMost: .nanoseconds(Int64(end - min(end, EventLoop.preciseNow))), on: loop)
            }
        }
    }

    /// Remembers the commits of a failed step. The next look finds their rooms, but not the time of the commits.
    private func keepFailed(_ commits: [(key: RoomKey, value: UInt64)]) {
        failed.withLock { failed in
            for (room, at) in commits where failed[room] != nil || failed.count < Self.maxWaiting {
                failed[room] = min(failed[room] ?? .max, at)
            }
        }
    }

    private func takeWaiting() -> [RoomKey: UInt64] {
        waiting.withLock { waiting in
            defer { waiting.removeAll(keepingCapacity: true) }
            return waiting
        }
    }

    /// Indexes the next messages and changes of some rooms. Returns the rooms with more of them.
    ///
    /// - Parameter commits: when the oldest of each room were committed; nil for a backlog. The lag is measured from it.
    private func step(in rooms: [RoomKey], commits: [UInt64]?, on loop: EventLoop) async throws -> Set<RoomKey> {
        try Task.checkCancellation()
        let start = EventLoop.preciseNow
        let limit = max(Self.leastOfRoom, Self.step / rooms.count)
        let step = try await store.advance(rooms, limit: limit, hasPartition: partitions.has)
        if let moment = step.missingPartition {
            try await partitions.make(for: moment)
            return step.unfinished
        }
        metrics.indexed.increment(by: UInt64(step.messages))
        if commits == nil { metrics.caughtUp(with: step.messages) }
        for (index, room) in rooms.enumerated() where !step.unfinished.contains(room) {
            let failedAt = failed.withLock { $0.removeValue(forKey: room) }
            if let committedAt = failedAt ?? commits?[index] { metrics.lag.observe(EventLoop.preciseNow - committedAt) }
        }
        let took = Double(EventLoop.preciseNow - start)
        let isAtLimit = commitLoad.take() > Self.limitOfCommits && share < 1
        let share = isAtLimit ? share * Self.shareAtLimit : share
        try await loop.sleep(for: .nanoseconds(Int64(took * (1 - share) / share)))
        return step.unfinished
    }
}

extension SearchIndexer: MetricsSource {
    func write(to page: inout MetricsPage) {
        page.begin(
            "maru_search_wait_seconds", .gauge,
            "The time that the oldest commit waits to be indexed; it grows while the index is not written.")
        let times = [waiting.withLock { $0.values.min() }, failed.withLock { $0.values.min() }]
        let oldest = times.compactMap(\.self).min()
        page.value(oldest.map { Double(EventLoop.preciseNow - $0) / 1e9 } ?? 0)
    }
}
