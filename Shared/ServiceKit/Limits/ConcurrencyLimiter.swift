/// Lets a bounded number of tasks of one loop work at a time. The others wait in order.
///
/// - Note: `@unchecked Sendable` because it is confined to its loop.
public final class ConcurrencyLimiter: @unchecked Sendable {
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    public init(_ count: Int) { free = count }

    /// Whether tasks wait for a free place.
    public var isFull: Bool { !waiting.isEmpty }

    /// Does `work` once there is a free place.
    public func run<Value>(_ work: () async throws -> Value) async rethrows -> Value {
        if free > 0 { free -= 1 } else { await withCheckedContinuation { waiting.append($0) } }
        defer { if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() } }
        return try await work()
    }
}
