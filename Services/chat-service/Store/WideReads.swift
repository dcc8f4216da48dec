import EventLoop
import Postgres
import Synchronization
import Telemetry
import Wire

/// Guards reads that need all servers of a schema that is divided by workspace. After one has failed, no other is tried for a while, so
/// that a server that gives no answer takes no connections from the calls of other workspaces. Callers read by workspace then, or
/// do without.
///
/// With tables on one server it guards nothing.
final class WideReads: Sendable {
    /// Workspaces or parts that are read at a time. Each takes a connection.
    private static let width = 4

    let isDivided: Bool
    private let pause: Duration
    /// In the time of `EventLoop.preciseNow`; 0 if the last read succeeded.
    private let pausedUntil = Atomic<UInt64>(0)
    private let lost: Mutex<LostWorkspaces>
    private let log: Log?

    /// - Parameters:
    ///   - pause: how long nothing is tried after a failure.
    ///   - log: hears of the beginning and the end of an outage, once for each.
    init(isDivided: Bool, pause: Duration = .seconds(5), log: Log? = nil) {
        self.isDivided = isDivided
        self.pause = pause
        self.log = log
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
            if pausedUntil.exchange(0, ordering: .relaxed) > 0 {
                log?.info("all parts of the database are within reach again")
            }
            lost.withLock { $0.removeAll() }
            return value
        } catch let error where error.isOutageOfStore {
            let end = EventLoop.preciseNow + pause.wholeNanoseconds
            if pausedUntil.exchange(end, ordering: .relaxed) == 0 {
                log?.warning(
                    "a part of the database is out of reach; badges and starts of sockets go on without it",
                    ["cause": .cause(error)])
            }
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
        let found = try await eachPart(of: workspaces.map { [$0] }) { part in (part[0], try await read(part[0])) }
        return Dictionary(found) { first, _ in first }
    }

    /// Reads the workspaces of each part of the schema together, a few parts at a time. A part that is out of reach is missing, and all
    /// its workspaces are lost.
    func eachPart<Value: Sendable>(
        of parts: [[WorkspaceID]], _ read: @escaping @Sendable ([WorkspaceID]) async throws -> Value
    ) async throws -> [Value] {
        let now = EventLoop.preciseNow
        let reachable = lost.withLock { lost in
            parts.map { part in part.filter { !lost.contains($0, at: now) } }.filter { !$0.isEmpty }
        }
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            var waiting = reachable
            var found: [Value] = []
            for part in waiting.suffix(Self.width) {
                group.addTask { try await self.one(part, read) }
            }
            waiting.removeLast(min(Self.width, waiting.count))
            while let value = try await group.next() {
                if let value { found.append(value) }
                if let next = waiting.popLast() { group.addTask { try await self.one(next, read) } }
            }
            return found
        }
    }

    /// Whether all these workspaces are out of reach.
    func areLost(_ workspaces: some Sequence<WorkspaceID>) -> Bool {
        let now = EventLoop.preciseNow
        return lost.withLock { lost in workspaces.allSatisfy { lost.contains($0, at: now) } }
    }

    /// Whether the last reads of all these workspaces have failed. A missing workspace without a failure had no free connection.
    func haveFailed(_ workspaces: some Sequence<WorkspaceID>) -> Bool {
        lost.withLock { lost in workspaces.allSatisfy { lost.hasFailed($0) } }
    }

    private func one<Value: Sendable>(
        _ part: [WorkspaceID], _ read: @Sendable ([WorkspaceID]) async throws -> Value
    ) async throws -> Value? {
        do {
            let value = try await read(part)
            lost.withLock { lost in for workspace in part { lost.remove(workspace) } }
            return value
        } catch let error where error.isOutageOfStore {
            let now = EventLoop.preciseNow
            lost.withLock { lost in for workspace in part { lost.insert(workspace, at: now) } }
            return nil
        } catch let error as PostgresError where error.kind == .exhausted {
            return nil
        }
    }
}
