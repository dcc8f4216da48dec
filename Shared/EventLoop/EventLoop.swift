internal import CSystem
internal import Glibc
internal import Synchronization

/// A thread with an epoll queue that runs its channels, timers, Swift tasks and callbacks.
///
/// The loop is a `TaskExecutor`, so a task can prefer it. A request stays on the loop that accepted it. Work for another
/// loop goes through `execute`, which wakes that loop once for a whole batch.
///
/// - Note: `@unchecked Sendable` because only the loop's own thread touches its state, apart from the inbox, which has a
///   lock. `preconditionInLoop` guards the entry points.
public final class EventLoop: TaskExecutor, @unchecked Sendable {
    /// The index of this loop in its group: 0 ..< count.
    public let index: Int

    let epoll: Int32
    private let inbox = LoopInbox()
    private let stopping = Atomic<Bool>(false)

    private var queues = LoopQueues()
    private var streams = LoopStreams()
    private var flush = BatchFlush()
    var channels = LoopChannels()
    var sleepers: [ObjectIdentifier: Sleeper] = [:]
    var wheel: TimerWheel
    private var dueTimers: [LoopTimer] = []

    /// Monotonic time in nanoseconds, read before and after each wait for events.
    @exclusivity(unchecked) public private(set) var now: UInt64
    let buffers = LoopBuffers()

    private static let eventsPerTurn = 512
    /// Rounds of jobs in one turn, so that sockets are served even if jobs start jobs without end.
    private static let jobRoundsPerTurn = 32

    /// Makes a loop that does nothing until `run` is called on a thread of its own.
    public init(index: Int = 0) {
        self.index = index
        epoll = cs_epoll_create()
        now = cs_monotonic_nanoseconds()
        wheel = TimerWheel(now: now)
        precondition(epoll >= 0, "epoll_create failed: the process has no file descriptor left")
        _ = cs_epoll_add(epoll, inbox.wakeUp, EPOLLIN.rawValue | EPOLLET.rawValue, nil)
    }

    deinit { close(epoll) }

    /// Monotonic time in nanoseconds, read now: for measuring within a turn.
    public static var preciseNow: UInt64 { cs_monotonic_nanoseconds() }

    /// The loop that runs on the calling thread; nil on any other thread.
    public static var current: EventLoop? {
        cs_current_loop().map { Unmanaged<EventLoop>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Whether the caller is on this loop's thread.
    public var isCurrent: Bool { cs_current_loop() == Unmanaged.passUnretained(self).toOpaque() }

    /// Ends the process if the caller is not on this loop's thread.
    public func preconditionInLoop() {
        precondition(isCurrent, "this call belongs on the thread of event loop \(index)")
    }

    /// Runs `work` on the loop's thread, soon and in order; from any thread. A loop that has ended runs nothing.
    public func execute(_ work: @escaping @Sendable () -> Void) {
        if isCurrent {
            queues.callbacks.append(work)
        } else {
            inbox.add(work)
        }
    }

    /// Runs `work` once, after the jobs, callbacks and events of this turn; for flushing output gathered in the turn.
    public func executeAtEndOfTurn(_ work: @escaping () -> Void) {
        preconditionInLoop()
        queues.endOfTurn.append(work)
    }

    /// Flushes `stream` together with the others that have output at the end of this turn.
    func flushAtEndOfTurn(_ stream: StreamSocket) { streams.dirty.append(.passRetained(stream)) }

    /// Lets `stream` continue in the next turn, after the other sockets.
    func continueNextTurn(_ stream: StreamSocket) { streams.waiting.append(stream) }

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if isCurrent {
            queues.jobs.append(job)
        } else {
            inbox.add(job)
        }
    }

    // MARK: Running

    /// Runs turns until `stop`, on the calling thread, which becomes the loop's thread.
    ///
    /// At the end, channels that are still registered get `loopEnded` and sleeping tasks are cancelled, so that nothing
    /// waits for ever.
    public func run() {
        cs_set_current_loop(Unmanaged.passUnretained(self).toOpaque())
        defer { cs_set_current_loop(nil) }
        withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: Self.eventsPerTurn) { events in
            while !stopping.load(ordering: .acquiring) {
                readClock()
                runDueWork()
                let count = epoll_wait(epoll, events.baseAddress, Int32(events.count), waitTime)
                if count < 0 && errno != EINTR { fatalError("epoll_wait failed with errno \(errno)") }
                readClock()
                for event in events.prefix(Int(max(0, count))) { deliver(event) }
                continueStreams()
                channels.endTurn()
            }
        }
        runDueWork()
        for channel in channels.all where channel.isRegistered { channel.loopEnded() }
        for sleeper in Array(sleepers.values) { sleeper.cancel() }
        runDueWork()
        channels = LoopChannels()
        wheel = TimerWheel(now: now)
    }

    /// Ends `run` after the present turn; from any thread.
    public func stop() {
        stopping.store(true, ordering: .releasing)
        inbox.wake(evenIfPending: true)
    }

    /// Updates `now`, so that a deadline that is set late in a long turn does not come early.
    @discardableResult
    func readClock() -> UInt64 {
        now = cs_monotonic_nanoseconds()
        return now
    }

    private func deliver(_ event: epoll_event) {
        var event = event
        guard let target = cs_event_target(&event) else { return }
        Unmanaged<Channel>.fromOpaque(target)._withUnsafeGuaranteedRef { channel in
            if channel.isRegistered { channel.ready(IOEvents(rawValue: event.events)) }
        }
    }

    private func continueStreams() {
        guard !streams.waiting.isEmpty else { return }
        let waiting = streams.waiting
        streams.waiting = []
        for stream in waiting { stream.continueTurn() }
    }

    private func runDueWork() {
        for _ in 0..<Self.jobRoundsPerTurn {
            inbox.collect(into: &queues)
            runTimers()
            runJobs()
            runCallbacks()
            if queues.jobs.isEmpty && queues.callbacks.isEmpty {
                runEndOfTurn()
                if !hasWork { return }
            }
        }
        runEndOfTurn()
    }

    private var hasWork: Bool { !queues.isEmpty || !streams.dirty.isEmpty }

    private func runTimers() {
        wheel.takeDue(upTo: now, into: &dueTimers)
        // `fireIfDue`, because one timer's action may cancel or restart the next timer.
        for timer in dueTimers { timer.fireIfDue() }
        dueTimers.removeAll(keepingCapacity: true)
    }

    private func runJobs() {
        guard !queues.jobs.isEmpty else { return }
        let executor = asUnownedTaskExecutor()
        for job in queues.jobs.takeBatch() { job.runSynchronously(on: executor) }
        queues.jobs.endBatch()
    }

    private func runCallbacks() {
        guard !queues.callbacks.isEmpty else { return }
        for callback in queues.callbacks.takeBatch() { callback() }
        queues.callbacks.endBatch()
    }

    private func runEndOfTurn() {
        if !streams.dirty.isEmpty {
            flush.run(streams.dirty.takeBatch())
            streams.dirty.endBatch()
        }
        guard !queues.endOfTurn.isEmpty else { return }
        for work in queues.endOfTurn.takeBatch() { work() }
        queues.endOfTurn.endBatch()
    }

    /// Milliseconds that epoll may wait: 0 while work waits, -1 (no limit) while there is no timer.
    private var waitTime: Int32 {
        if hasWork || !streams.waiting.isEmpty || inbox.isPending || stopping.load(ordering: .acquiring) { return 0 }
        guard let due = wheel.nextDue else { return -1 }
        guard due > now else { return 0 }
        return Int32(clamping: (due - now + 999_999) / 1_000_000)
    }
}
