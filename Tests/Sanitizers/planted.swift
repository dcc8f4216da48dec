import Glibc
import Synchronization

// Programs that a sanitizer must report, and one that it must not: `planted race`, `planted lost`, `planted freed`, and
// `planted none`.

/// - Note: `@unchecked Sendable` is wrong here on purpose: one of its functions has the planted race.
final class Count: @unchecked Sendable {
    private let lock = Mutex(())
    private var value = 0

    func raise() { lock.withLock { _ in value += 1 } }

    func raiseWithoutLock() { value += 1 }
}

/// Runs `body` on a separate thread, without synchronising with anything after its start.
func onThread(_ body: @escaping @Sendable () -> Void) -> pthread_t {
    final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    var thread = pthread_t()
    let work = Unmanaged.passRetained(Work(body)).toOpaque()
    pthread_create(
        &thread, nil,
        {
            Unmanaged<Work>.fromOpaque($0!).takeRetainedValue().body()
            return nil
        }, work)
    return thread
}

/// Threads contend for a lock, so that it is handed over while others wait for it. All live until the last is done,
/// because the sanitizer takes a thread that starts where another has ended for the same thread.
func meet(withLock: Bool) {
    let count = Count()
    // One for the start, one for the end.
    nonisolated(unsafe) let barriers = UnsafeMutablePointer<pthread_barrier_t>.allocate(capacity: 2)
    for number in 0..<2 { pthread_barrier_init(barriers + number, nil, 4) }
    let threads = (0..<4).map { number in
        onThread {
            pthread_barrier_wait(barriers)
            for _ in 0..<(withLock ? 50_000 : 500) {
                if withLock || number > 0 { count.raise() } else { count.raiseWithoutLock() }
            }
            pthread_barrier_wait(barriers + 1)
        }
    }
    for thread in threads { pthread_join(thread, nil) }
}

/// A thread passes a value to a task, before the task waits for it and after; with `keeping` the thread changes it
/// afterwards.
func handOver(keeping: Bool) async {
    for turn in 0..<40 {
        let count = await withUnsafeContinuation { continuation in
            let thread = onThread {
                let count = Count()
                count.raiseWithoutLock()
                continuation.resume(returning: count)
                if keeping { count.raiseWithoutLock() }
            }
            pthread_detach(thread)
            if turn % 2 == 0 { usleep(5000) }
        }
        count.raiseWithoutLock()
        if keeping { usleep(1000) }
    }
}

func readFreed() {
    let memory = UnsafeMutablePointer<Int>.allocate(capacity: 4)
    memory.initialize(repeating: 1, count: 4)
    memory.deallocate()
    print(memory[2])
}

switch CommandLine.arguments.dropFirst().first {
case "race": meet(withLock: false)
case "lost": await handOver(keeping: true)
case "freed": readFreed()
default:
    meet(withLock: true)
    await handOver(keeping: false)
}
