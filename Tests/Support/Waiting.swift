import Glibc

/// What was waited for did not happen.
public struct NeverHappened: Error, CustomStringConvertible {
    public let description: String

    public init(description: String) { self.description = description }
}

/// Waits for what nobody announces, such as a server that comes up; `patience` longer where all is slow.
public func eventually(
    within patience: Duration = .seconds(60), _ what: String = "it", _ condition: @Sendable () async throws -> Bool
) async throws {
    let patience = patience.patiently
    let deadline = ContinuousClock.now + patience
    while !(try await condition()) {
        guard ContinuousClock.now < deadline else {
            throw NeverHappened(description: "\(what) did not happen within \(patience)")
        }
        try await Task.sleep(for: .milliseconds(10))
    }
}

/// Waits as `eventually` does, and returns how long it took: for promises of a time. Of each look at `condition` no
/// more counts than it takes on a machine that has time for it.
public func timed(
    within patience: Duration = .seconds(60), _ what: String, _ condition: @Sendable () async throws -> Bool
) async throws -> Duration {
    let longestLook = Duration.milliseconds(50)
    let patience = patience.patiently
    var last = ContinuousClock.now
    let deadline = last + patience
    var time = Duration.zero
    while !(try await condition()) {
        guard ContinuousClock.now < deadline else {
            throw NeverHappened(description: "\(what) did not happen within \(patience)")
        }
        try await Task.sleep(for: .milliseconds(10))
        let now = ContinuousClock.now
        time += min(now - last, longestLook)
        last = now
    }
    return time + min(ContinuousClock.now - last, longestLook)
}

/// Runs what blocks on a thread of its own, so that it takes none from the tests' few.
public func onOwnThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        let work = Unmanaged.passRetained(Work { continuation.resume(returning: body()) })
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
}

private final class Work: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}
