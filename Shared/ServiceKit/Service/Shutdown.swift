internal import Glibc
internal import Synchronization

/// Connects a request to end the process, which a signal may bring at any time, with a service that may still be
/// starting.
final class Shutdown: Sendable {
    private struct State {
        var service: RunningService?
        var isRequested = false
    }

    private let state = Mutex(State())
    private let done = Semaphore()

    /// Reports that the service has started. If the end was requested before, the service stops at once.
    func started(_ service: RunningService) {
        let isRequested = state.withLock { state in
            state.service = service
            return state.isRequested
        }
        if isRequested { stop(service) }
    }

    /// Requests the end. A second request, or a request before the service has started, ends the process at once.
    func request() {
        let (service, isFirst) = state.withLock { state in
            defer { state.isRequested = true }
            return (state.service, !state.isRequested)
        }
        guard isFirst else { exit(1) }
        guard let service else { exit(0) }
        stop(service)
    }

    private func stop(_ service: RunningService) {
        Task { [done] in
            await service.stop()
            done.signal()
        }
    }

    /// Blocks the calling thread until the service has stopped.
    func wait() { done.wait() }
}

/// A POSIX semaphore: one thread waits until another signals.
///
/// - Note: `@unchecked Sendable` because sem_t is made to be shared between threads; its address never changes.
private final class Semaphore: @unchecked Sendable {
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() { sem_init(semaphore, 0, 0) }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    func signal() { sem_post(semaphore) }

    func wait() { while sem_wait(semaphore) != 0 && errno == EINTR {} }
}
