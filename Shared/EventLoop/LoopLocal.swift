/// One value a loop: connections, caches and buffers that no other loop touches and that therefore need no lock.
///
/// - Note: `@unchecked Sendable` because the value at an index is only ever reached on the loop of that index:
///   `current` looks the index up by thread, and `forEach` sends the work there.
public final class LoopLocal<Value>: @unchecked Sendable {
    @usableFromInline let group: EventLoopGroup
    @usableFromInline let values: [Value]

    /// Calls `make` once for each loop, here and now; the values must not be tied to the calling thread.
    public init(_ group: EventLoopGroup, _ make: (EventLoop) throws -> Value) rethrows {
        self.group = group
        values = try group.loops.map(make)
    }

    /// The value of the loop that the caller is on.
    @inlinable
    public var current: Value {
        guard let index = group.currentIndex else {
            preconditionFailure("a loop's own value was asked for outside the loops")
        }
        return values[index]
    }

    /// Runs `body` on every loop with its value, without waiting.
    public func forEach(_ body: @escaping @Sendable (Value) -> Void) {
        for loop in group.loops {
            loop.execute { [self] in body(values[loop.index]) }
        }
    }
}

extension EventLoop {
    /// Runs `body` on this loop and returns what it makes; the caller resumes on its own executor.
    /// Cancelling the caller cancels `body`.
    public func run<Result: Sendable>(_ body: @escaping @Sendable () async throws -> Result) async throws -> Result {
        let task = Task(executorPreference: self) { try await body() }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}
