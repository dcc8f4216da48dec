import Contract
import EventLoop
import ServiceKit
import Synchronization
import Wire

/// The rules of workspaces, kept in memory so that a send costs no query for them.
///
/// A hint announces each change. While no hints arrive, rules are read again after a few seconds. If they cannot be read, the
/// last known ones hold.
final class ModerationCache: Sendable {
    private struct State {
        var entries: [WorkspaceID: (rules: ModerationRules, fetchedAt: UInt64)] = [:]
        /// The time of the last hint about each workspace; rules that were read before it are outdated.
        var hints: [WorkspaceID: UInt64] = [:]
        /// Nil while no hints arrive. Rules that were read earlier are outdated.
        var liveSince: UInt64?
    }

    private let store: StandingStore
    private let state = Mutex(State())

    private static let lifetime = Duration.seconds(300).wholeNanoseconds
    private static let lifetimeWithoutHints = Duration.seconds(5).wholeNanoseconds
    private static let capacity = 50_000

    init(store: StandingStore) { self.store = store }

    func rules(of workspace: WorkspaceID) async throws -> ModerationRules {
        let now = EventLoop.preciseNow
        let known = state.withLock { state -> (rules: ModerationRules, isFresh: Bool)? in
            guard let entry = state.entries[workspace] else { return nil }
            let lifetime = state.liveSince == nil ? Self.lifetimeWithoutHints : Self.lifetime
            let isFresh =
                now &- entry.fetchedAt < lifetime && entry.fetchedAt > state.liveSince ?? 0
                && entry.fetchedAt > state.hints[workspace] ?? 0
            return (entry.rules, isFresh)
        }
        if let known, known.isFresh { return known.rules }
        do {
            let rules = try await store.rules(of: workspace, at: .now)
            state.withLock { state in
                if state.entries.count >= Self.capacity { state.entries.removeAll(keepingCapacity: true) }
                if now > state.entries[workspace]?.fetchedAt ?? 0 { state.entries[workspace] = (rules, now) }
            }
            return rules
        } catch {
            guard let known else { throw error }
            return known.rules
        }
    }

    /// Rules of a workspace have changed.
    func invalidate(_ workspace: WorkspaceID) {
        state.withLock { state in
            // Treating everything as outdated is always correct, and keeps the number of hints bounded.
            if state.hints.count >= Self.capacity {
                state.hints.removeAll()
                state.entries.removeAll()
            }
            state.hints[workspace] = EventLoop.preciseNow
        }
    }

    /// Follows hints for as long as `subscriber` lives; call it on `loop`.
    func follow(_ subscriber: MessageSubscriber, on loop: EventLoop) {
        _ = subscriber.listen(to: ModerationHint.self, on: loop) { [weak self] event in
            switch event {
            case .message(let hint): self?.invalidate(hint.workspace)
            case .confirmed, .gap: self?.become(live: true)
            case .lost: self?.become(live: false)
            }
        }
    }

    private func become(live isLive: Bool) {
        state.withLock { state in
            state.liveSince = isLive ? EventLoop.preciseNow : nil
            state.hints.removeAll()
        }
    }
}
