import EventLoop
import Glibc

/// Runs `body` with loops that are stopped afterwards, also when `body` throws.
func withLoops(_ count: Int = 1, _ body: (EventLoopGroup) async throws -> Void) async throws {
    let group = EventLoopGroup(count: count)
    do {
        try await body(group)
    } catch {
        await stop(group)
        throw error
    }
    await stop(group)
}

/// Runs `body` on a loop of its own.
func onLoop(_ body: @escaping @Sendable (EventLoop) async throws -> Void) async throws {
    try await withLoops { group in
        let loop = group.loops[0]
        try await loop.run { try await body(loop) }
    }
}

/// Stops the loops on a separate thread, because stopping blocks until their threads have ended.
private func stop(_ group: EventLoopGroup) async {
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
        let stopping = Unmanaged.passRetained(Stopping(group: group, done: done))
        var thread = pthread_t()
        pthread_create(
            &thread, nil,
            { argument in
                let stopping = Unmanaged<Stopping>.fromOpaque(argument!).takeRetainedValue()
                stopping.group.stop()
                stopping.done.resume()
                return nil
            }, stopping.toOpaque())
        pthread_detach(thread)
    }
}

private final class Stopping: Sendable {
    let group: EventLoopGroup
    let done: CheckedContinuation<Void, Never>

    init(group: EventLoopGroup, done: CheckedContinuation<Void, Never>) {
        self.group = group
        self.done = done
    }
}

/// Processor time of the calling thread, in nanoseconds.
func threadTime() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
