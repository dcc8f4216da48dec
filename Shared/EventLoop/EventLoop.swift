internal import CSystem
internal import Glibc
internal import Synchronization

/// One thread that waits in epoll and runs everything that belongs to it: channels, timers, Swift tasks and mail.
///
/// The loop is a `TaskExecutor`, so a task can prefer it, and `actors` is its `SerialExecutor`, so an actor can live on
/// it. A request stays on the loop that accepted it; what must cross goes by `execute`, which wakes the loop once for a
/// whole batch.
///
/// - Note: `@unchecked Sendable` because all state but the inbox is touched by the loop's own thread alone;
///   `preconditionInLoop` guards the entries, and the inbox has a lock.
public final class EventLoop: TaskExecutor, @unchecked Sendable {
    /// The place of this loop in its group: 0 ..< count.
    public let index: Int
    /// Runs actors on this loop.
    public let actors = LoopActorExecutor()

    let epoll: Int32
    private let wakeUp: Int32
    private let inbox = Mutex(Inbox())
    private let wakeUpPending = Atomic<Bool>(false)
    private let stopping = Atomic<Bool>(false)

    private var jobs: [Job] = []
    private var runningJobs: [Job] = []
    private var mail: [@Sendable () -> Void] = []
    private var openedMail: [@Sendable () -> Void] = []
    private var endOfTick: [() -> Void] = []
    private var runningEndOfTick: [() -> Void] = []
    private var dirtyStreams = JointFlush()
    private var flushingStreams = JointFlush()
    private var waitingStreams: [StreamSocket] = []
    var channels: [ObjectIdentifier: Channel] = [:]
    var retired: [Channel] = []
    var sleepers: [ObjectIdentifier: Sleeper] = [:]
    var wheel: TimerWheel
    private var dueTimers: [LoopTimer] = []

    /// Monotonic time in nanoseconds, read once a turn of the loop.
    @exclusivity(unchecked) public private(set) var now: UInt64
    /// Where streams read into; valid within one callback only.
    let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: EventLoop.scratchSize, alignment: 16)
    /// Where streams gather their output; apart from `scratch`, because a handler may flush
    /// while it looks at its input.
    let outputScratch = UnsafeMutableRawBufferPointer.allocate(byteCount: EventLoop.scratchSize, alignment: 16)

    static let scratchSize = 128 * 1024
    private static let eventsPerTurn = 512
    /// So many rounds of jobs run before sockets get their turn again.
    private static let jobRoundsPerTurn = 32

    private struct Inbox {
        var jobs: [Job] = []
        var mail: [@Sendable () -> Void] = []
    }

    private struct Job {
        let job: UnownedJob
        let isActors: Bool
    }

    /// Makes a loop that does nothing until `run` is called on a thread of its own.
    public init(index: Int = 0) {
        self.index = index
        epoll = cs_epoll_create()
        wakeUp = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        now = cs_monotonic_nanoseconds()
        wheel = TimerWheel(now: now)
        precondition(epoll >= 0 && wakeUp >= 0, "out of file descriptors")
        // Edge-triggered: every write counts as an edge, so nobody needs to read the counter.
        _ = cs_epoll_add(epoll, wakeUp, EPOLLIN.rawValue | EPOLLET.rawValue, nil)
        actors.loop = self
    }

    deinit {
        close(epoll)
        close(wakeUp)
        scratch.deallocate()
        outputScratch.deallocate()
    }

    /// Monotonic time in nanoseconds, read now: for measuring what happens within a turn.
    public static var preciseNow: UInt64 { cs_monotonic_nanoseconds() }

    /// The loop whose thread this is.
    public static var current: EventLoop? {
        cs_current_loop().map { Unmanaged<EventLoop>.fromOpaque($0).takeUnretainedValue() }
    }

    /// The index of the loop whose thread this is.
    public static var currentIndex: Int? {
        cs_current_loop().map { Unmanaged<EventLoop>.fromOpaque($0)._withUnsafeGuaranteedRef { $0.index } }
    }

    /// Whether the caller is on this loop's thread.
    public var isCurrent: Bool { cs_current_loop() == Unmanaged.passUnretained(self).toOpaque() }

    /// Stops the process where a caller touches the loop's state from another thread.
    public func preconditionInLoop() { precondition(isCurrent, "not on event loop \(index)") }

    /// Runs `work` on the loop's thread, soon and in order; from any thread. A loop that has ended runs nothing.
    public func execute(_ work: @escaping @Sendable () -> Void) {
        if isCurrent {
            mail.append(work)
        } else {
            inbox.withLock { $0.mail.append(work) }
            wake()
        }
    }

    /// Runs `work` once, when the jobs and events of this turn are done; for flushing what the turn has gathered.
    public func atEndOfTick(_ work: @escaping () -> Void) {
        preconditionInLoop()
        endOfTick.append(work)
    }

    func flushAtEndOfTick(_ stream: StreamSocket) { dirtyStreams.add(stream) }

    func continueNextTurn(_ stream: StreamSocket) { waitingStreams.append(stream) }

    // MARK: Executor

    public func enqueue(_ job: consuming ExecutorJob) { enqueue(UnownedJob(job), isActors: false) }

    func enqueue(_ job: UnownedJob, isActors: Bool) {
        let job = Job(job: job, isActors: isActors)
        if isCurrent {
            jobs.append(job)
        } else {
            inbox.withLock { $0.jobs.append(job) }
            wake()
        }
    }

    // MARK: Running

    /// Turns until `stop`; the calling thread becomes the loop's.
    ///
    /// At the end, what is still registered is told so and sleeping tasks are cancelled, so that nobody waits for ever.
    public func run() {
        cs_set_current_loop(Unmanaged.passUnretained(self).toOpaque())
        defer { cs_set_current_loop(nil) }
        withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: Self.eventsPerTurn) { events in
            while !stopping.load(ordering: .acquiring) {
                readClock()
                runDueWork()
                let count = epoll_wait(epoll, events.baseAddress, Int32(events.count), waitTime)
                if count < 0 && errno != EINTR { fatalError("epoll_wait: \(errno)") }
                readClock()
                for event in events.prefix(Int(max(0, count))) { deliver(event) }
                continueStreams()
                retired.removeAll(keepingCapacity: true)
            }
        }
        runDueWork()
        for channel in Array(channels.values) where channel.isRegistered { channel.loopEnded() }
        for sleeper in Array(sleepers.values) { sleeper.cancel() }
        runDueWork()
        channels = [:]
        retired = []
        wheel = TimerWheel(now: now)
    }

    /// Ends `run` after the present turn; from any thread.
    public func stop() {
        stopping.store(true, ordering: .releasing)
        wake(evenIfPending: true)
    }

    /// Reads the clock anew, for deadlines that must not come early after a long turn.
    @discardableResult
    func readClock() -> UInt64 {
        now = cs_monotonic_nanoseconds()
        return now
    }

    private func wake(evenIfPending: Bool = false) {
        if !wakeUpPending.exchange(true, ordering: .acquiringAndReleasing) || evenIfPending {
            var one: UInt64 = 1
            _ = write(wakeUp, &one, 8)
        }
    }

    private func deliver(_ event: epoll_event) {
        var event = event
        guard let target = cs_event_target(&event) else { return }
        Unmanaged<Channel>.fromOpaque(target)._withUnsafeGuaranteedRef { channel in
            if channel.isRegistered { channel.ready(IOEvents(rawValue: event.events)) }
        }
    }

    private func continueStreams() {
        guard !waitingStreams.isEmpty else { return }
        let streams = waitingStreams
        waitingStreams = []
        for stream in streams { stream.continueTurn() }
    }

    private func runDueWork() {
        for _ in 0..<Self.jobRoundsPerTurn {
            collectInbox()
            runTimers()
            runJobs()
            runMail()
            if jobs.isEmpty && mail.isEmpty {
                runEndOfTick()
                if !hasWork { return }
            }
        }
        runEndOfTick()
    }

    private var hasWork: Bool { !jobs.isEmpty || !mail.isEmpty || !endOfTick.isEmpty || !dirtyStreams.isEmpty }

    private func collectInbox() {
        // The flag is cleared before the inbox is emptied: the other order loses wake-ups.
        guard wakeUpPending.load(ordering: .acquiring) else { return }
        wakeUpPending.store(false, ordering: .sequentiallyConsistent)
        inbox.withLock {
            jobs.append(contentsOf: $0.jobs)
            mail.append(contentsOf: $0.mail)
            $0.jobs.removeAll(keepingCapacity: true)
            $0.mail.removeAll(keepingCapacity: true)
        }
    }

    private func runTimers() {
        // One timer's action may cancel the next one, or start it anew.
        wheel.takeDue(upTo: now, into: &dueTimers)
        for timer in dueTimers { timer.fireIfDue() }
        dueTimers.removeAll(keepingCapacity: true)
    }

    private func runJobs() {
        guard !jobs.isEmpty else { return }
        swap(&jobs, &runningJobs)
        let tasks = asUnownedTaskExecutor()
        let serial = actors.asUnownedSerialExecutor()
        for job in runningJobs {
            // A task's own job runs without a serial executor: with one, the runtime takes nonisolated code for code
            // of an actor that must be left first, and enqueues each job twice.
            if job.isActors {
                job.job.runSynchronously(isolatedTo: serial, taskExecutor: tasks)
            } else {
                job.job.runSynchronously(on: tasks)
            }
        }
        runningJobs.removeAll(keepingCapacity: true)
    }

    private func runMail() {
        guard !mail.isEmpty else { return }
        swap(&mail, &openedMail)
        for letter in openedMail { letter() }
        openedMail.removeAll(keepingCapacity: true)
    }

    private func runEndOfTick() {
        if !dirtyStreams.isEmpty {
            swap(&dirtyStreams, &flushingStreams)
            flushingStreams.run()
        }
        guard !endOfTick.isEmpty else { return }
        swap(&endOfTick, &runningEndOfTick)
        for work in runningEndOfTick { work() }
        runningEndOfTick.removeAll(keepingCapacity: true)
    }

    /// Milliseconds that epoll may sleep: none while work waits, for ever while there is no timer.
    private var waitTime: Int32 {
        if hasWork || !waitingStreams.isEmpty || wakeUpPending.load(ordering: .acquiring)
            || stopping.load(ordering: .acquiring)
        {
            return 0
        }
        guard let due = wheel.nextDue else { return -1 }
        guard due > now else { return 0 }
        return Int32(clamping: (due - now + 999_999) / 1_000_000)
    }
}
