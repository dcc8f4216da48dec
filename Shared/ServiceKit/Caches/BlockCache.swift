public import Contract
public import EventLoop
public import Redis
internal import Synchronization
public import Wire

/// The blocks of users, fetched from auth-service and kept while hints of changes arrive.
///
/// While no hints arrive nothing is cached, and each read is a call. It is meant for the author of a message or the reader
/// of a list, one user at a time.
public final class BlockCache: Sendable {
    private struct Entry {
        let blocks: AuthClient.Blocks
        let fetchedAt: UInt64
    }

    private struct State {
        var entries: [UserID: Entry] = [:]
        /// The time of the last hint about each user; entries that were fetched before it are invalid.
        var hints: [UserID: UInt64] = [:]
        var isLive = false

        mutating func removeAll() {
            entries.removeAll()
            hints.removeAll()
        }
    }

    private let auth: AuthClient
    private let state = Mutex(State())
    private let capacity: Int
    private let lifetime: UInt64

    /// - Parameter capacity: users kept at most, about 100 bytes each and eight for each block.
    public init(auth: AuthClient, capacity: Int = 100_000, lifetime: Duration = .seconds(600)) {
        self.auth = auth
        self.capacity = capacity
        self.lifetime = lifetime.wholeNanoseconds
    }

    /// The blocks of a user, in both directions.
    public func blocks(of user: UserID) async throws -> AuthClient.Blocks {
        let fetchedAt = EventLoop.preciseNow
        let known = state.withLock { state -> AuthClient.Blocks? in
            guard state.isLive, let entry = state.entries[user], fetchedAt < entry.fetchedAt + lifetime else {
                return nil
            }
            return entry.blocks
        }
        if let known { return known }
        let blocks =
            try await auth.blocks(of: [user]).first ?? AuthClient.Blocks(user: user, blocked: [], blockers: [])
        state.withLock { state in
            guard state.isLive, fetchedAt > state.hints[user] ?? 0 else { return }
            if state.entries.count >= capacity { state.entries.removeAll(keepingCapacity: true) }
            state.entries[user] = Entry(blocks: blocks, fetchedAt: fetchedAt)
        }
        return blocks
    }

    /// Follows hints for as long as `subscriber` lives; call it on `loop`.
    public func follow(_ subscriber: MessageSubscriber, on loop: EventLoop) -> RedisSubscription {
        subscriber.listen(to: BlockHint.self, on: loop) { [weak self] event in
            switch event {
            case .message(let hint): self?.invalidate([hint.user, hint.blocked])
            case .confirmed, .gap: self?.become(live: true)
            case .lost: self?.become(live: false)
            }
        }
    }

    private func invalidate(_ users: [UserID]) {
        state.withLock { state in
            // Forgetting everything is always correct, and keeps the number of hints bounded.
            if state.hints.count >= capacity { state.removeAll() }
            for user in users {
                state.entries[user] = nil
                state.hints[user] = EventLoop.preciseNow
            }
        }
    }

    private func become(live isLive: Bool) {
        state.withLock { state in
            state.isLive = isLive
            state.removeAll()
        }
    }
}
