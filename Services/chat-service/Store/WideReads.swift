import EventLoop
import Synchronization
import Wire

/// Guards reads that need all servers of a schema that is divided by workspace. After one has failed, no other is tried for a while, so
/// that a server that gives no answer takes no connections from the calls of other workspaces. Callers read by workspace then, or
/// do without.
///
/// With tables on one server it guards nothing.
final class WideReads: Sendable {
    /// How long nothing is tried after a failure.
    private static let pause = Duration.seconds(5)
    /// Workspaces that are read at a time. Each takes a connection.
    private static let width = 4

    let isDivided: Bool
    /// In the time of `EventLoop.preciseNow`, as are those of the workspaces.
    private let pausedUntil = Atomic<UInt64>(0)
    private let lost = Mutex<[WorkspaceID: UInt64]>([:])

    init(isDivided: Bool) { self.isDivided = isDivided }

    /// Makes a read that needs all servers; nil if one of them is out of reach.
    func attempt<Value: Sendable>(_ read: () async throws -> Value) async throws -> Value? {
        guard isDivided else { return try await read() }
        if EventLoop.preciseNow < pausedUntil.load(ordering: .relaxed) { return nil }
        do {
            return try await read()
        } catch let error where error.isOutageOfStore {
            pausedUntil.store(EventLoop.preciseNow + Self.pause.wholeNanoseconds, ordering: .relaxed)
            return nil
        }
    }

    /// Reads workspaces one by one, a few at a time. Those that are out of reach are missing.
    func each<Value: Sendable>(
        of workspaces: [WorkspaceID], _ read: @escaping @Sendable (WorkspaceID) async throws -> Value
    ) async throws -> [WorkspaceID: Value] {
        let known = lost.withLock { lost in
            let now = EventLoop.preciseNow
            lost = lost.filter { $0.value > now }
            return lost
        }
        return try await withThrowingTaskGroup(of: (WorkspaceID, Value?).self) { group in
            var waiting = workspaces.filter { known[$0] == nil }
            var found: [WorkspaceID: Value] = [:]
            for workspace in waiting.suffix(Self.width) {
                group.addTask { (workspace, try await self.one(workspace, read)) }
            }
            waiting.removeLast(min(Self.width, waiting.count))
            while let (workspace, value) = try await group.next() {
                found[workspace] = value
                if let next = waiting.popLast() { group.addTask { (next, try await self.one(next, read)) } }
            }
            return found
        }
    }

    private func one<Value: Sendable>(
        _ workspace: WorkspaceID, _ read: @Sendable (WorkspaceID) async throws -> Value
    ) async throws -> Value? {
        do {
            return try await read(workspace)
        } catch let error where error.isOutageOfStore {
            lost.withLock { $0[workspace] = EventLoop.preciseNow + Self.pause.wholeNanoseconds }
            return nil
        }
    }
}
