internal import EventLoop
import Glibc

/// An expected event did not happen in time.
public struct NeverHappened: Error, CustomStringConvertible {
    public let description: String

    public init(description: String) { self.description = description }
}

private let timers = EventLoopGroup(count: 1).loops[0]

/// Suspends the caller. A `Task.sleep` waits for a timer of libdispatch, which on a busy machine can lose one, and then never ends.
public func pause(for time: Duration) async throws { try await timers.sleep(for: time) }

/// Polls until `condition` holds, for events that nothing reports, such as a server that comes up.
///
/// - Parameter limit: the time-out, multiplied by `MARU_PATIENCE`.
public func eventually(
    within limit: Duration = .seconds(30), _ what: String = "it", _ condition: @Sendable () async throws -> Bool
) async throws {
    let limit = limit.patiently
    let deadline = ContinuousClock.now + limit
    while !(try await condition()) {
        guard ContinuousClock.now < deadline else {
            throw NeverHappened(description: "\(what) did not happen within \(limit)")
        }
        try await pause(for: .milliseconds(10))
    }
}

/// Waits as `eventually` does, and returns the time it took: for promises of a time. Each check of `condition` counts
/// with at most the time that it takes on an idle machine.
public func timed(
    within limit: Duration = .seconds(10), _ what: String, _ condition: @Sendable () async throws -> Bool
) async throws -> Duration {
    let longestCheck = Duration.milliseconds(50)
    let limit = limit.patiently
    var last = ContinuousClock.now
    let deadline = last + limit
    var time = Duration.zero
    while !(try await condition()) {
        guard ContinuousClock.now < deadline else {
            throw NeverHappened(description: "\(what) did not happen within \(limit)")
        }
        try await pause(for: .milliseconds(10))
        let now = ContinuousClock.now
        time += min(now - last, longestCheck)
        last = now
    }
    return time + min(ContinuousClock.now - last, longestCheck)
}

/// Runs blocking code on its own thread, so that it does not use up the few threads of the tests.
///
/// The code runs in the caller's task: expectations in it belong to the caller's test.
public func onOwnThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withTaskExecutorPreference(OwnThread()) { await run(body) }
}

@concurrent
private func run<Value: Sendable>(_ body: @Sendable () -> Value) async -> Value { body() }

/// Runs each job of a task on a thread of its own.
private final class OwnThread: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // The task retains its preferred executor for as long as the job runs.
        let executor = asUnownedTaskExecutor()
        startThread { job.runSynchronously(on: executor) }
    }
}

/// Runs `body` on its own thread, without waiting for it.
func startThread(_ body: @escaping @Sendable () -> Void) {
    let work = Unmanaged.passRetained(Work(body))
    var thread = pthread_t()
    let failure = pthread_create(
        &thread, nil,
        { argument in
            Unmanaged<Work>.fromOpaque(argument!).takeRetainedValue().body()
            return nil
        }, work.toOpaque())
    precondition(failure == 0)
    pthread_detach(thread)
}

private final class Work: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}
