internal import Glibc

/// A value behind a POSIX mutex.
///
/// The standard library's `Mutex` would do, but the thread sanitizer cannot see how a contended one changes hands, and
/// reports a race for every meeting.
///
/// - Note: `@unchecked Sendable` because the value is reached under the mutex alone, and neither of the two moves.
struct Locked<Value>: ~Copyable, @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let value = UnsafeMutablePointer<Value>.allocate(capacity: 1)

    init(_ initial: Value) {
        pthread_mutex_init(mutex, nil)
        value.initialize(to: initial)
    }

    deinit {
        value.deinitialize(count: 1)
        value.deallocate()
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    borrowing func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body(&value.pointee)
    }
}
