/// Lets a bounded number of tasks of one loop go on at a time, the others in their order.
///
/// - Note: `@unchecked Sendable` because it is confined to its loop.
final class Turns: @unchecked Sendable {
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ count: Int) { free = count }

    /// Does `work` when it is its turn.
    func run<Value>(_ work: () async throws -> Value) async rethrows -> Value {
        if free > 0 { free -= 1 } else { await withCheckedContinuation { waiting.append($0) } }
        defer { if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() } }
        return try await work()
    }
}
