import EventLoop
import Postgres
import Synchronization
import Wire

/// Guards reads that need all servers of a schema that is divided by workspace. After one has failed, no other is tried for a while, so
/// that a server that gives no answer takes no connections from the calls of other workspaces. Callers read by workspace then, or
/// do without.
///
/// With tables on one server it guards nothing.
final class WideReads: Sendable {
    /// Workspaces that are read at a time. Each takes a connection.
    private static let width = 4

    let isDivided: Bool
    private let pause: Duration
    /// In the time of `EventLoop.preciseNow`; 0 if the last read succeeded.
    private let pausedUntil = Atomic<UInt64>(0)
    private let lost: Mutex<LostWorkspaces>

    /// - Parameter pause: how long nothing is tried after a failure.
    init(isDivided: Bool, pause: Duration = .seconds(5)) {
        self.isDivided = isDivided
        self.pause = pause
        lost = Mutex(LostWorkspaces(pause: pause))
    }

    /// Makes a read that needs all servers; nil if one of them is out of reach. After a success no workspace is lost.
    func attempt<Value: Sendable>(_ read: () async throws -> Value) async throws -> Value? {
        guard isDivided else { return try await read() }
        let end = pausedUntil.load(ordering: .relaxed)
        // After the pause one call tries, and the others do without until it knows.
        if end > 0 {
            guard EventLoop.preciseNow >= end,
                pausedUntil.compareExchange(expected: end, desired: .max, ordering: .relaxed).exchanged
            else { return nil }
        }
        do {
            let value = try await read()
            pausedUntil.store(0, ordering: .relaxed)
            lost.withLock { $0.removeAll() }
            return value
        } catch let error where error.isOutageOfStore {
            pausedUntil.store(EventLoop.preciseNow + pause.wholeNanoseconds, ordering: .relaxed)
            return nil
        } catch {
            // The next call tries.
            if end > 0 { pausedUntil.store(end, ordering: .relaxed) }
            throw error
        }
    }

    /// Reads workspaces one by one, a few at a time. Those that are out of reach are missing, and so are those without a free
    /// connection: others may wait for lost workspaces.
    func each<Value: Sendable>(
        of workspaces: [WorkspaceID], _ read: @escaping @Sendable (WorkspaceID) async throws -> Value
    ) async throws -> [WorkspaceID: Value] {
        let now = EventLoop.preciseNow
        let reachable = lost.withLock { lost in workspaces.filter { !lost.contains($0, at: now) } }
        return try await withThrowingTaskGroup(of: (WorkspaceID, Value?).self) { group in
            var waiting = reachable
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
            let value = try await read(workspace)
            lost.withLock { $0.remove(workspace) }
            return value
        } catch let error where error.isOutageOfStore {
            lost.withLock { $0.insert(workspace, at: EventLoop.preciseNow) }
            return nil
        } catch let error as PostgresError where error.kind == .exhausted {
            return nil
        }
    }
}
