internal import CSystem
internal import Glibc
internal import Synchronization

/// A few threads for work that blocks or takes long: password hashes, name resolution, file reads.
///
/// The queue is bounded: while `limit` pieces of work wait, further ones are refused with `Full`.
public final class BlockingPool: Sendable {
    /// The pool's queue is full; shed the request.
    public struct Full: Error {}

    /// The scheduling priority of a pool's threads.
    public enum Priority: Sendable {
        /// The default of the system.
        case normal
        /// SCHED_IDLE: the threads run only while no other thread of their control group wants the processor. Between
        /// groups, and between sessions of a kernel with autogroups, the kernel weighs the groups and not their
        /// threads, so there the priority has no effect.
        case idle
    }

    private struct State {
        var queue: [@Sendable () -> Void] = []
        var head = 0
        var isStopped = false

        var waiting: Int { queue.count - head }

        mutating func next() -> (@Sendable () -> Void)? {
            guard head < queue.count else { return nil }
            let piece = queue[head]
            head += 1
            // The used part is removed once it is at least as large as the rest, so that the cost of a piece stays
            // constant.
            if head * 2 >= queue.count {
                queue.removeFirst(head)
                head = 0
            }
            return piece
        }
    }

    private let state = Mutex(State())
    private let limit: Int
    private let semaphore = Semaphore()
    private let threadCount: Int

    /// Starts `threads` threads; at most `limit` pieces of work wait for them.
    public init(threads: Int, limit: Int, priority: Priority = .normal, name: String = "blocking") {
        self.limit = limit
        threadCount = threads
        for number in 0..<threads {
            let thread = startThread(named: "\(name)-\(number)") { [self] in
                if priority == .idle { _ = cs_thread_be_idle() }
                work()
            }
            pthread_detach(thread)
        }
    }

    /// The number of pieces that wait for a thread.
    public var waiting: Int { state.withLock { $0.waiting } }

    /// Runs `body` on a thread of the pool and returns its result.
    ///
    /// - Throws: `Full` if the queue is full, or the error of `body`.
    public func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withUnsafeThrowingContinuation { continuation in
            let isAccepted = submit { continuation.resume(with: Swift.Result(catching: body)) }
            if !isAccepted { continuation.resume(throwing: Full()) }
        }
    }

    /// Refuses further work; the threads finish the queued work and end.
    public func stop() {
        state.withLock { $0.isStopped = true }
        for _ in 0..<threadCount { semaphore.signal() }
    }

    /// Runs `piece` on a thread of the pool without waiting for it; returns false if the queue is full.
    public func submit(_ piece: @escaping @Sendable () -> Void) -> Bool {
        let isAccepted = state.withLock { state in
            guard !state.isStopped, state.waiting < limit else { return false }
            state.queue.append(piece)
            return true
        }
        if isAccepted { semaphore.signal() }
        return isAccepted
    }

    private func work() {
        while true {
            semaphore.wait()
            let (piece, isStopped) = state.withLock { ($0.next(), $0.isStopped) }
            if let piece { piece() } else if isStopped { return }
        }
    }
}

/// A POSIX semaphore.
///
/// - Note: `@unchecked Sendable` because a sem_t may be used from several threads; its address never changes.
private final class Semaphore: @unchecked Sendable {
    private let raw = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() { sem_init(raw, 0, 0) }

    deinit {
        sem_destroy(raw)
        raw.deallocate()
    }

    func signal() { sem_post(raw) }

    func wait() { while sem_wait(raw) != 0 && errno == EINTR {} }
}
