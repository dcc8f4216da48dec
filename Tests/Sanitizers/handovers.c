// Tells the thread sanitizer of two hand-overs that it cannot see, because they happen within the Swift runtime, which
// is not instrumented. It is loaded before the runtime (LD_PRELOAD), so that these functions replace the runtime's. It
// suppresses nothing: other races are reported as before. In a program without the sanitizer these functions do
// nothing.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define ASYNC __attribute__((swiftasynccall))
#define SELF __attribute__((swift_context))
#define FRAME __attribute__((swift_async_context))

__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

static void acquired(void *address) {
    if (__tsan_acquire) __tsan_acquire(address);
}

static void released(void *address) {
    if (__tsan_release) __tsan_release(address);
}

// The runtime's function of the same name, which this one wraps.
#define ORIGINAL(type, name)                                                                                                \
    static type *original;                                                                                                  \
    if (!original) original = (type *)dlsym(RTLD_NEXT, name)

// A contended Mutex is handed over in the kernel. Its uncontended paths are inlined, so the sanitizer sees them.

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

typedef SWIFT void Lock(uint32_t thread, SELF void *mutex);
typedef SWIFT _Bool TryLock(SELF void *mutex);
typedef SWIFT void Unlock(SELF void *mutex);

Lock mutex_lock __asm__(LOCK);
TryLock mutex_try_lock __asm__(TRY_LOCK);
Unlock mutex_unlock __asm__(UNLOCK);

SWIFT void mutex_lock(uint32_t thread, SELF void *mutex) {
    ORIGINAL(Lock, LOCK);
    original(thread, mutex);
    acquired(mutex);
}

SWIFT _Bool mutex_try_lock(SELF void *mutex) {
    ORIGINAL(TryLock, TRY_LOCK);
    _Bool is_locked = original(mutex);
    if (is_locked) acquired(mutex);
    return is_locked;
}

SWIFT void mutex_unlock(SELF void *mutex) {
    ORIGINAL(Unlock, UNLOCK);
    released(mutex);
    original(mutex);
}

// A continuation may be resumed before its task waits. The runtime reports the release by the resuming thread, but a
// task that finds itself resumed continues without an acquire. So every task continues through `go_on`; the address at
// which it would have continued is kept in the upper bits of the flags, which the runtime does not use.

typedef struct Continuation Continuation;
typedef ASYNC void Resume(FRAME Continuation *continuation);
typedef ASYNC void Await(Continuation *continuation, FRAME void *caller);

struct Continuation {
    void *parent;
    Resume *resume;
    uint64_t flags;
};

enum { flag_bits = 16 };

__attribute__((weak)) SWIFT void *swift_task_getCurrent(void);

static ASYNC void go_on(FRAME Continuation *continuation) {
    Resume *resume = (Resume *)(continuation->flags >> flag_bits);
    acquired(swift_task_getCurrent());
    __attribute__((musttail)) return resume(continuation);
}

ASYNC void swift_continuation_await(Continuation *continuation, FRAME void *caller) {
    ORIGINAL(Await, "swift_continuation_await");
    uint64_t flags = continuation->flags & ((1 << flag_bits) - 1);
    continuation->flags = flags | (uint64_t)continuation->resume << flag_bits;
    continuation->resume = go_on;
    __attribute__((musttail)) return original(continuation, caller);
}
