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
    private let pace: IndexPace
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
    private static let leastOfRoom = 10
    /// Rooms that are found behind in one look.
    private static let roomsPerLook = 1000
    private static let pauseBetweenLooks = Duration.seconds(30)
    /// The next look comes sooner after a failure for some rooms.
    private static let pauseAfterFailure = Duration.seconds(5)
    /// Rooms that wait beyond this number are found by the next look.
    private static let maxWaiting = 100_000

    init(store: SearchIndexStore, partitions: SearchPartitions, metrics: SearchMetrics, log: Log, share: Double) {
        self.store = store
        self.partitions = partitions
        self.metrics = metrics
        self.log = log
        pace = IndexPace(share: share)
    }

    /// Says that messages of these rooms were committed or changed. It may be called on any loop and does not wait.
    func wake(for rooms: some Sequence<RoomKey>) {
        waiting.withLock { waiting in
            guard waiting.count < Self.maxWaiting else { return }
            let now = EventLoop.preciseNow
            for room in rooms where waiting[room] == nil { waiting[room] = now }
        }
        store.noteMessages(in: rooms)
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
            let (backlog, hasFailed) = try await look(on: loop)
            if !hasFailed { forgetFailures(outside: backlog) }
            report(backlog, &isRebuilding)
            try await catchUp(with: backlog, endsSoon: hasFailed, on: loop)
        }
    }

    /// Looks at all rooms. In a divided schema that may take seconds while a part is out of reach, and new messages of other parts are indexed
    /// meanwhile. Returns whether that has failed for some rooms.
    private func look(on loop: EventLoop) async throws -> (SearchBacklog, hasFailed: Bool) {
        guard store.isDivided else { return (try await store.backlog(limit: Self.roomsPerLook), false) }
        return try await withThrowingTaskGroup(of: SearchBacklog.self) { group in
            let isOver = Mutex(false)
            group.addTask(executorPreference: loop) { [self] in
                defer {
                    isOver.withLock { $0 = true }
                    signal.wake()
                }
                await makePartitionAhead()
                return try await store.backlog(limit: Self.roomsPerLook)
            }
            var hasFailed = false
            while !isOver.withLock(\.self) {
                if try await indexNews(on: loop) { hasFailed = true }
                if waiting.withLock(\.isEmpty) { try await signal.sleep(atMost: .seconds(1), on: loop) }
            }
            return (try await group.next() ?? SearchBacklog(), hasFailed)
        }
    }

    private func makePartitionAhead() async {
        do {
            try await partitions.makeAhead()
        } catch {
            if Task.isCancelled { return }
            log.warning("a partition of the search index cannot be made yet", ["cause": .cause(error)])
        }
    }

    /// Forgets the failures of rooms that have been indexed since, for example by another instance.
    private func forgetFailures(outside backlog: SearchBacklog) {
        if backlog.hasMore { return }
        let behind = Set(backlog.rooms)
        failed.withLock { failed in
            failed = failed.filter { room, _ in
                behind.contains(room) || backlog.workspaces?.contains(room.workspace) == false
            }
        }
    }

    private func report(_ backlog: SearchBacklog, _ isRebuilding: inout Bool) {
        metrics.found(backlog)
        if backlog.isRebuild {
            isRebuilding = true
            log.info(
                "the search index is being rebuilt",
                ["rooms": .integer(backlog.roomCount), "messages": .integer(backlog.messageCount)])
        } else if isRebuilding, backlog.messageCount == 0, backlog.workspaces == nil {
            isRebuilding = false
            log.info("the search index is complete")
        }
    }

    /// Indexes the backlog and the rooms that are named meanwhile, until it is time for the next look at all rooms.
    private func catchUp(with backlog: SearchBacklog, endsSoon: Bool, on loop: EventLoop) async throws {
        var end = EventLoop.preciseNow + Self.pauseBetweenLooks.wholeNanoseconds
        var hasFailed = false
        func endSoon() {
            hasFailed = true
            end = min(end, EventLoop.preciseNow + Self.pauseAfterFailure.wholeNanoseconds)
        }
        if endsSoon { endSoon() }
        var rooms = backlog.rooms
        while EventLoop.preciseNow < end {
            // New messages come first, one step of each room, so that a backlog delays none of them for long.
            if try await indexNews(on: loop) { endSoon() }
            if !rooms.isEmpty {
                let part = rooms.prefix(Self.roomsPerStep)
                let step = try await step(in: Array(part), commits: nil, on: loop)
                rooms = part.filter(step.unfinished.contains) + rooms.dropFirst(part.count)
                if !step.failed.isEmpty {
                    // Others of their workspaces would wait as well. The next look finds those within reach.
                    let lost = Set(step.failed.map(\.workspace))
                    rooms.removeAll { lost.contains($0.workspace) }
                    endSoon()
                }
            } else if !hasFailed, backlog.hasMore || backlog.isRebuild {
                return
            } else if waiting.withLock(\.isEmpty) {
                try await signal.sleep(atMost: .nanoseconds(Int64(end - min(end, EventLoop.preciseNow))), on: loop)
            }
        }
    }

    /// Indexes the rooms with new messages, one step of each. Returns whether some have failed.
    private func indexNews(on loop: EventLoop) async throws -> Bool {
        var commits = Array(takeWaiting())
        var hasFailed = false
        while !commits.isEmpty {
            let part = commits.prefix(Self.roomsPerStep)
            do {
                let step = try await step(in: part.map(\.key), commits: part.map(\.value), on: loop)
                keepFailed(part.filter { step.failed.contains($0.key) })
                hasFailed = hasFailed || !step.failed.isEmpty
                let rest = part.filter { step.unfinished.contains($0.key) }
                waiting.withLock { for (room, at) in rest { $0[room] = min($0[room] ?? .max, at) } }
            } catch {
                keepFailed(commits)
                throw error
            }
            commits.removeFirst(part.count)
        }
        return hasFailed
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

    /// Indexes the next messages and changes of some rooms.
    ///
    /// - Parameter commits: when the oldest of each room were committed; nil for a backlog. The lag is measured from it.
    private func step(in rooms: [RoomKey], commits: [UInt64]?, on loop: EventLoop) async throws
        -> SearchIndexStore.Step
    {
        try Task.checkCancellation()
        let start = EventLoop.preciseNow
        let limit = max(Self.leastOfRoom, Self.step / rooms.count)
        var step = try await store.advance(rooms, limit: limit, hasPartition: partitions.has)
        if let failure = step.failure { log.error("rooms cannot be indexed yet", ["cause": .cause(failure)]) }
        if let moment = step.missingPartition {
            if try await partitions.make(for: moment) { return step }
            step.unfinished.subtract(step.withoutPartition)
            step.failed.formUnion(step.withoutPartition)
        }
        metrics.indexed.increment(by: UInt64(step.messages))
        if commits == nil { metrics.caughtUp(with: step.messages) }
        for (index, room) in rooms.enumerated() where !step.unfinished.contains(room) && !step.failed.contains(room) {
            let failedAt = failed.withLock { $0.removeValue(forKey: room) }
            if let committedAt = failedAt ?? commits?[index] { metrics.lag.observe(EventLoop.preciseNow - committedAt) }
        }
        try await rest(after: Double(EventLoop.preciseNow - start), on: loop)
        return step
    }

    private func rest(after took: Double, on loop: EventLoop) async throws {
        var waited = 0.0
        while let pause = pace.pause(afterStepOf: took, waited: waited, load: commitLoad.take()) {
            try await loop.sleep(for: .nanoseconds(Int64(pause)))
            waited += pause
        }
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
