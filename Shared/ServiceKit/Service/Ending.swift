internal import Glibc
internal import Synchronization

/// Brings together the wish to end, which a signal tells at any time, and the service, which may not be there yet.
final class Ending: Sendable {
    private struct State {
        var service: RunningService?
        var isAsked = false
        var isDone = false
    }

    private let state = Mutex(State())
    private let done = ConditionFlag()

    /// The service is there; when the wish came first it ends at once.
    func ready(_ service: RunningService) {
        let isAsked = state.withLock { state in
            state.service = service
            return state.isAsked
        }
        if isAsked { end(service) }
    }

    /// Asks for the end; asking again, or before the service is there, ends the process without order.
    func ask() {
        let (service, isFirst) = state.withLock { state in
            defer { state.isAsked = true }
            return (state.service, !state.isAsked)
        }
        guard isFirst else { exit(1) }
        guard let service else { exit(0) }
        end(service)
    }

    private func end(_ service: RunningService) {
        Task { [done] in
            await service.stop()
            done.raise()
        }
    }

    /// Blocks the calling thread until the service has ended.
    func wait() { done.wait() }
}

/// Lets one thread wait until another says so.
///
/// - Note: `@unchecked Sendable` because sem_t is made to be shared between threads; its address never changes.
private final class ConditionFlag: @unchecked Sendable {
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() { sem_init(semaphore, 0, 0) }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    func raise() { sem_post(semaphore) }

    func wait() { while sem_wait(semaphore) != 0 && errno == EINTR {} }
}
