internal import CSystem
internal import Glibc
internal import Synchronization

/// One thread that waits in epoll and runs everything that belongs to it: channels, timers, Swift tasks and mail.
///
/// The loop is a `SerialExecutor`, so an actor can live on it, and a `TaskExecutor`, so a task can prefer it. A request
/// stays on the loop that accepted it; what must cross goes by `execute`, which wakes the loop once for a whole batch.
///
/// - Note: `@unchecked Sendable` because all state but the inbox is touched by the loop's own thread alone;
///   `preconditionInLoop` guards the entries, and the inbox has a lock.
public final class EventLoop: SerialExecutor, TaskExecutor, @unchecked Sendable {
    /// The place of this loop in its group: 0 ..< count.
    public let index: Int

    let epoll: Int32
    private let wakeUp: Int32
    private let inbox = Mutex(Inbox())
    private let wakeUpPending = Atomic<Bool>(false)
    private let stopping = Atomic<Bool>(false)

    private var jobs: [UnownedJob] = []
    private var runningJobs: [UnownedJob] = []
    private var mail: [@Sendable () -> Void] = []
    private var endOfTick: [() -> Void] = []
    private var dirtyStreams: [StreamSocket] = []
    private var flushingStreams: [StreamSocket] = []
    var channels: [ObjectIdentifier: Channel] = [:]
    var retired: [Channel] = []
    var wheel: TimerWheel

    /// Monotonic time in nanoseconds, read once a turn of the loop.
    public private(set) var now: UInt64
    /// Where streams read into and gather their output; valid within one callback only.
    let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: EventLoop.scratchSize, alignment: 16)

    static let scratchSize = 128 * 1024
    private static let eventsPerTurn = 512
    /// So many rounds of jobs run before sockets get their turn again.
    private static let jobRoundsPerTurn = 32

    private struct Inbox {
        var jobs: [UnownedJob] = []
        var mail: [@Sendable () -> Void] = []
    }

    /// Makes a loop that does nothing until `run` is called on a thread of its own.
    public init(index: Int = 0) {
        self.index = index
        epoll = cs_epoll_create()
        wakeUp = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        now = cs_monotonic_nanoseconds()
        wheel = TimerWheel(now: now)
        precondition(epoll >= 0 && wakeUp >= 0, "out of file descriptors")
        _ = cs_epoll_add(epoll, wakeUp, EPOLLIN.rawValue | EPOLLET.rawValue, nil)
    }

    deinit {
        close(epoll)
        close(wakeUp)
        scratch.deallocate()
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

    /// Runs `work` on the loop's thread, soon and in order; from any thread.
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

    func flushAtEndOfTick(_ stream: StreamSocket) { dirtyStreams.append(stream) }

    // MARK: Executor

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if isCurrent {
            jobs.append(job)
        } else {
            inbox.withLock { $0.jobs.append(job) }
            wake()
        }
    }

    public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    public func checkIsolated() { preconditionInLoop() }

    public func isIsolatingCurrentContext() -> Bool? { isCurrent }

    // MARK: Running

    /// Turns until `stop`; the calling thread becomes the loop's.
    public func run() {
        cs_set_current_loop(Unmanaged.passUnretained(self).toOpaque())
        defer { cs_set_current_loop(nil) }
        withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: Self.eventsPerTurn) { events in
            while !stopping.load(ordering: .acquiring) {
                now = cs_monotonic_nanoseconds()
                runDueWork()
                let count = epoll_wait(epoll, events.baseAddress, Int32(events.count), waitTime)
                if count < 0 && errno != EINTR { fatalError("epoll_wait: \(errno)") }
                now = cs_monotonic_nanoseconds()
                for event in events.prefix(Int(max(0, count))) { deliver(event) }
                retired.removeAll()
            }
            runDueWork()
        }
    }

    /// Ends `run` after the present turn; from any thread.
    public func stop() {
        stopping.store(true, ordering: .releasing)
        wake(evenIfPending: true)
    }

    private func wake(evenIfPending: Bool = false) {
        if !wakeUpPending.exchange(true, ordering: .acquiringAndReleasing) || evenIfPending {
            var one: UInt64 = 1
            _ = write(wakeUp, &one, 8)
        }
    }

    private func deliver(_ event: epoll_event) {
        var event = event
        guard let target = cs_event_target(&event) else {
            var count: UInt64 = 0
            _ = read(wakeUp, &count, 8)
            return
        }
        Unmanaged<Channel>.fromOpaque(target)._withUnsafeGuaranteedRef { channel in
            if channel.isRegistered { channel.ready(IOEvents(rawValue: event.events)) }
        }
    }

    private func runDueWork() {
        for _ in 0..<Self.jobRoundsPerTurn {
            collectInbox()
            for timer in wheel.takeDue(upTo: now) { timer.fire() }
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

    private func runJobs() {
        guard !jobs.isEmpty else { return }
        swap(&jobs, &runningJobs)
        let serial = asUnownedSerialExecutor()
        let tasks = asUnownedTaskExecutor()
        for job in runningJobs { job.runSynchronously(isolatedTo: serial, taskExecutor: tasks) }
        runningJobs.removeAll(keepingCapacity: true)
    }

    private func runMail() {
        guard !mail.isEmpty else { return }
        let letters = mail
        mail.removeAll(keepingCapacity: true)
        for letter in letters { letter() }
    }

    private func runEndOfTick() {
        if !dirtyStreams.isEmpty {
            swap(&dirtyStreams, &flushingStreams)
            for stream in flushingStreams { stream.flushAtEndOfTick() }
            flushingStreams.removeAll(keepingCapacity: true)
        }
        guard !endOfTick.isEmpty else { return }
        let works = endOfTick
        endOfTick.removeAll(keepingCapacity: true)
        for work in works { work() }
    }

    /// Milliseconds that epoll may sleep: none while work waits, for ever while there is no timer.
    private var waitTime: Int32 {
        if hasWork || wakeUpPending.load(ordering: .acquiring) || stopping.load(ordering: .acquiring) { return 0 }
        guard let due = wheel.nextDue else { return -1 }
        guard due > now else { return 0 }
        return Int32(clamping: (due - now + 999_999) / 1_000_000)
    }
}
