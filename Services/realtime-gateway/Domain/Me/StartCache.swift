import Contract
import EventLoop
import ServiceKit
import Synchronization
import Telemetry
import Wire

/// Keeps the starts of `/me` sockets for clients that come back within a minute.
///
/// A kept start is used only while another read would bring the same: hints of access, settings, drafts and profiles remove it, a read
/// marker that has moved since is noticed by its count in Redis, and a room with a message or a change since by its head, for
/// which chat-service is asked. While no hints arrive nothing is kept, and neither is a start without rooms that are out of reach.
final class StartCache: Sendable {
    private struct Entry {
        let start: MeStart
        let profile: String
        let moves: Int64?
        let fetchedAt: UInt64
        let workspaces: Set<WorkspaceID>
    }

    private struct State {
        var entries: [UserID: Entry] = [:]
        var bytes = 0
        var changes = AccessChanges()
        var isLive = false

        mutating func remove(_ user: UserID) {
            if let entry = entries.removeValue(forKey: user) { bytes -= entry.start.sizeHint }
        }

        mutating func removeAll() {
            entries = [:]
            bytes = 0
        }
    }

    private static let expiryInterval = Duration.seconds(10)

    private let state = Mutex(State())
    private let moves: ReadMoves
    private let capacity: Int
    private let lifetime: UInt64
    private let kept: Counter
    private let read: Counter

    /// - Parameter capacity: bytes; 0 keeps nothing.
    init(moves: ReadMoves, capacity: Int, lifetime: Duration = .seconds(60), metrics: MetricsRegistry) {
        self.moves = moves
        self.capacity = capacity
        self.lifetime = lifetime.wholeNanoseconds
        func counter(_ source: String) -> Counter {
            metrics.counter(
                "maru_me_starts_total", "Starts of /me sockets, kept for clients that come back, or read.",
                labels: ["source": source])
        }
        kept = counter("kept")
        read = counter("read")
    }

    /// The start of a socket of a user.
    ///
    /// - Parameters:
    ///   - heads: reads the present heads of rooms; those without messages are missing.
    ///   - fetch: reads the start.
    func start(
        of user: UserID, for profile: ClientProfile, heads: ([RoomID]) async throws -> [RoomID: RoomHead],
        fetch: () async throws -> MeStart
    ) async throws -> MeStart {
        let count: Int64?
        do {
            count = try await moves.count(of: user)
        } catch {
            read.increment()
            return try await fetch()
        }
        let fetchedAt = EventLoop.preciseNow
        let (known, mark) = state.withLock { ($0.entries[user], $0.changes.mark(of: user)) }
        if let known, known.profile == profile.name, known.moves == count, fetchedAt < known.fetchedAt + lifetime,
            let now = try? await heads(known.start.rooms.map(\.room)),
            known.start.rooms.allSatisfy({ now[$0.room] ?? .empty == $0.head }),
            // Something may have changed while the heads were read.
            state.withLock({ $0.changes.holds(mark, of: user, in: known.workspaces) })
        {
            kept.increment()
            return known.start
        }
        var start = try await fetch()
        start.readMoves = count ?? 0
        read.increment()
        state.withLock { state in
            state.remove(user)
            let size = start.sizeHint
            let workspaces = start.workspaces
            guard state.isLive, start.unavailable.isEmpty, size <= capacity,
                state.changes.holds(mark, of: user, in: workspaces)
            else { return }
            if state.bytes + size > capacity { state.removeAll() }
            state.entries[user] = Entry(
                start: start, profile: profile.name, moves: count, fetchedAt: fetchedAt,
                workspaces: workspaces)
            state.bytes += size
        }
        return start
    }

    /// How often the read markers of a user have moved lately.
    ///
    /// - Throws: if Redis does not answer.
    func readMoves(of user: UserID) async throws -> Int64 { try await moves.count(of: user) ?? 0 }

    /// Frees the memory of starts that are too old, now and again.
    func expire(on loop: EventLoop) {
        state.withLock { state in
            let now = EventLoop.preciseNow
            for (user, entry) in state.entries where now - entry.fetchedAt >= lifetime { state.remove(user) }
        }
        loop.schedule(after: Self.expiryInterval) { [weak self] in self?.expire(on: loop) }
    }

    // MARK: Changes

    /// Something of the user's own has changed.
    func changed(_ user: UserID) {
        state.withLock { state in
            state.changes.note(user)
            state.remove(user)
        }
    }

    /// Something has changed in a workspace, or anywhere for nil.
    func changed(in workspace: WorkspaceID?) {
        state.withLock { state in
            guard let workspace else {
                state.changes.note(nil)
                return state.removeAll()
            }
            state.changes.note(in: workspace)
            for (user, entry) in state.entries where entry.workspaces.contains(workspace) { state.remove(user) }
        }
    }

    /// Whether hints arrive.
    func become(live isLive: Bool) {
        state.withLock { state in
            state.isLive = isLive
            state.changes.note(nil)
            state.removeAll()
        }
    }
}
