/// One value for each loop: connections, caches and buffers that no other loop uses and that need no lock.
///
/// - Note: `@unchecked Sendable` because the value at an index is reached only on the loop of that index: `current`
///   finds the index by the calling thread, `nearest` and `all` are only for values that may be used from any thread, and
///   `forEach` runs on the loop.
public final class LoopLocal<Value>: @unchecked Sendable {
    @usableFromInline let group: EventLoopGroup
    @usableFromInline let values: [Value]

    /// Calls `make` once for each loop, on the calling thread; the values must not be tied to that thread.
    public init(_ group: EventLoopGroup, _ make: (EventLoop) throws -> Value) rethrows {
        self.group = group
        values = try group.loops.map(make)
    }

    /// The value of the calling loop. Off the group's loops the process ends.
    @inlinable
    public var current: Value {
        guard let index = group.currentIndex else {
            preconditionFailure("LoopLocal.current was read off the loops of its group")
        }
        return values[index]
    }

    /// The value of the calling loop if it belongs to the group, else that of the first loop.
    public var nearest: Value { values[group.currentIndex ?? 0] }

    /// The values of all loops, in their order.
    public var all: [Value] { values }

    /// Runs `body` on every loop with its value, without waiting.
    public func forEach(_ body: @escaping @Sendable (Value) -> Void) {
        for loop in group.loops {
            loop.execute { [self] in body(values[loop.index]) }
        }
    }
}

extension EventLoop {
    /// Runs `body` on this loop and returns its result; the caller resumes on its own executor. Cancelling the caller
    /// cancels `body`.
    public func run<Result: Sendable>(_ body: @escaping @Sendable () async throws -> Result) async throws -> Result {
        let task = Task(executorPreference: self) { try await body() }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}
