internal import CSystem
internal import Glibc
internal import Synchronization

/// The jobs and callbacks that other threads give to a loop, and the eventfd that wakes the loop for them.
struct LoopInbox: ~Copyable {
    /// The eventfd. The loop watches it edge-triggered: every write is an edge, so the counter is never read.
    let wakeUp: Int32
    private let contents = Mutex(Contents())
    private let isWakeUpPending = Atomic<Bool>(false)

    private struct Contents {
        var jobs: [UnownedJob] = []
        var callbacks: [@Sendable () -> Void] = []
    }

    init() {
        wakeUp = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        precondition(wakeUp >= 0, "eventfd failed: the process has no file descriptor left")
    }

    deinit { close(wakeUp) }

    /// Whether something may have arrived since the last `collect`.
    var isPending: Bool { isWakeUpPending.load(ordering: .acquiring) }

    func add(_ job: UnownedJob) {
        contents.withLock { $0.jobs.append(job) }
        wake()
    }

    func add(_ callback: @escaping @Sendable () -> Void) {
        contents.withLock { $0.callbacks.append(callback) }
        wake()
    }

    /// Ends the loop's wait. Calls before the next `collect` cost one system call together, unless `evenIfPending`.
    func wake(evenIfPending: Bool = false) {
        if !isWakeUpPending.exchange(true, ordering: .acquiringAndReleasing) || evenIfPending {
            var one: UInt64 = 1
            _ = write(wakeUp, &one, 8)
        }
    }

    /// Moves everything to the loop's own queues.
    func collect(into queues: inout LoopQueues) {
        guard isPending else { return }
        // The flag is cleared before the inbox is emptied: the other order loses wake-ups.
        isWakeUpPending.store(false, ordering: .sequentiallyConsistent)
        contents.withLock {
            queues.jobs.append(takingFrom: &$0.jobs)
            queues.callbacks.append(takingFrom: &$0.callbacks)
        }
    }
}
