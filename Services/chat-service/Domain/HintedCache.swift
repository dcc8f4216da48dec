import Contract
import EventLoop
import ServiceKit
import Synchronization
import Wire

/// Values that are made of the members of rooms or workspaces, kept while hints of changes arrive.
///
/// A hint about access removes the values of its workspace. A hint about a profile removes the values that depend on the
/// user. A value that was fetched while a hint arrived is used once and not kept. While no hints arrive nothing is kept.
final class HintedCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// A value and its dependencies.
    struct Entry: Sendable {
        let value: Value
        let workspace: WorkspaceID
        /// The value depends on the profiles of these users.
        let users: Set<UserID>
        /// The share of the cache that the value takes.
        let weight: Int
    }

    private struct State {
        var entries: [Key: (entry: Entry, fetchedAt: UInt64)] = [:]
        var weight = 0
        var isLive = false
        /// Grows with each hint.
        var hints = 0

        mutating func removeAll() {
            entries.removeAll()
            weight = 0
        }

        mutating func remove(where isAffected: (Entry) -> Bool) {
            for (key, kept) in entries where isAffected(kept.entry) {
                weight -= kept.entry.weight
                entries[key] = nil
            }
        }
    }

    private let state = Mutex(State())
    private let capacity: Int
    private let lifetime: UInt64

    /// - Parameters:
    ///   - capacity: the largest sum of weights.
    ///   - lifetime: a value is fetched again after this time even without a hint.
    init(capacity: Int, lifetime: Duration = .seconds(60)) {
        self.capacity = capacity
        self.lifetime = lifetime.wholeNanoseconds
    }

    /// The value of a key, from the cache or from `fetch`.
    func value(of key: Key, fetch: () async throws -> Entry) async throws -> Value {
        let now = EventLoop.preciseNow
        let (known, hints) = state.withLock { state in
            let kept = state.entries[key].flatMap { now &- $0.fetchedAt <= lifetime ? $0.entry : nil }
            return (kept, state.hints)
        }
        if let known { return known.value }
        let entry = try await fetch()
        state.withLock { state in
            guard state.isLive, state.hints == hints, entry.weight <= capacity else { return }
            if state.weight + entry.weight > capacity { state.removeAll() }
            if let old = state.entries[key] { state.weight -= old.entry.weight }
            state.entries[key] = (entry, now)
            state.weight += entry.weight
        }
        return entry.value
    }

    /// Follows hints for as long as `subscriber` lives; call it on `loop`.
    func follow(_ subscriber: MessageSubscriber, on loop: EventLoop) {
        _ = subscriber.listen(to: AccessHint.self, on: loop) { [weak self] event in
            switch event {
            case .message(let hint): self?.invalidate { $0.workspace == hint.workspace }
            case .confirmed, .gap: self?.become(live: true)
            case .lost: self?.become(live: false)
            }
        }
        _ = subscriber.listen(to: ProfileVersion.self, on: loop) { [weak self] event in
            switch event {
            case .message(let hint): self?.invalidate { $0.users.contains(hint.user) }
            case .confirmed, .gap, .lost: self?.invalidate { _ in true }
            }
        }
    }

    private func invalidate(where isAffected: (Entry) -> Bool) {
        state.withLock { state in
            state.hints += 1
            state.remove(where: isAffected)
        }
    }

    private func become(live isLive: Bool) {
        state.withLock { state in
            state.isLive = isLive
            state.hints += 1
            state.removeAll()
        }
    }
}
