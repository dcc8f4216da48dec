public import Contract
public import EventLoop
public import Redis
internal import Synchronization
public import Wire

/// The blocks of users, fetched from auth-service and kept while hints of changes arrive.
///
/// While no hints arrive, each read is a call. If auth-service does not answer, readers receive the last known
/// blocks. An unknown user is an error then, so that nobody is shown the text of a blocked author.
public final class BlockCache: Sendable {
    private struct Entry {
        let blocks: AuthClient.Blocks
        let blocked: Set<UserID>
        let fetchedAt: UInt64
    }

    private struct State {
        var entries: [UserID: Entry] = [:]
        /// The time of the last hint about each user; entries that were fetched before it are outdated.
        var hints: [UserID: UInt64] = [:]
        /// Entries that were fetched earlier are outdated.
        var liveSince: UInt64?

        func fresh(_ user: UserID, oldest: UInt64) -> Entry? {
            guard let liveSince, let entry = entries[user], entry.fetchedAt > max(liveSince, oldest),
                entry.fetchedAt > hints[user] ?? 0
            else { return nil }
            return entry
        }
    }

    private let auth: AuthClient
    private let state = Mutex(State())
    private let capacity: Int
    private let lifetime: UInt64

    /// The most users of one call.
    private static let bulk = 1000

    /// - Parameter capacity: users kept at most, about 150 bytes each and 16 for each block.
    public init(auth: AuthClient, capacity: Int = 100_000, lifetime: Duration = .seconds(600)) {
        self.auth = auth
        self.capacity = capacity
        self.lifetime = lifetime.wholeNanoseconds
    }

    /// The blocks of a user, in both directions.
    public func blocks(of user: UserID) async throws -> AuthClient.Blocks {
        try await entries(of: [user])[user]?.blocks ?? AuthClient.Blocks(user: user, blocked: [], blockers: [])
    }

    /// The users that a user has blocked.
    public func blocked(by user: UserID) async throws -> Set<UserID> {
        try await entries(of: [user])[user]?.blocked ?? []
    }

    /// The blocks of users, in both directions.
    public func blocks(of users: some Collection<UserID>) async throws -> [UserID: AuthClient.Blocks] {
        try await entries(of: users).mapValues(\.blocks)
    }

    private func entries(of users: some Collection<UserID>) async throws -> [UserID: Entry] {
        let oldest = CacheAge.oldest(lifetime)
        var found: [UserID: Entry] = [:]
        var missing: [UserID] = []
        state.withLock { state in
            for user in users {
                if let entry = state.fresh(user, oldest: oldest) { found[user] = entry } else { missing.append(user) }
            }
        }
        for start in stride(from: 0, to: missing.count, by: Self.bulk) {
            let asked = Array(missing[start..<min(start + Self.bulk, missing.count)])
            do {
                found.merge(try await fetch(asked)) { _, new in new }
            } catch {
                let known = state.withLock { state in asked.compactMap { state.entries[$0] } }
                guard known.count == asked.count else { throw error }
                for entry in known { found[entry.blocks.user] = entry }
            }
        }
        return found
    }

    private func fetch(_ users: [UserID]) async throws -> [UserID: Entry] {
        let fetchedAt = EventLoop.preciseNow
        let reply = try await auth.blocks(of: users)
        let blocks = Dictionary(reply.map { ($0.user, $0) }) { first, _ in first }
        var entries: [UserID: Entry] = [:]
        for user in users {
            let own = blocks[user] ?? AuthClient.Blocks(user: user, blocked: [], blockers: [])
            entries[user] = Entry(blocks: own, blocked: Set(own.blocked), fetchedAt: fetchedAt)
        }
        state.withLock { state in
            if state.entries.count + entries.count > capacity { state.entries.removeAll(keepingCapacity: true) }
            for (user, entry) in entries where fetchedAt > state.entries[user]?.fetchedAt ?? 0 {
                state.entries[user] = entry
            }
        }
        return entries
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
            // Treating everything as outdated is always correct, and keeps the number of hints bounded.
            if state.hints.count >= capacity {
                state.hints.removeAll()
                if state.liveSince != nil { state.liveSince = EventLoop.preciseNow }
            }
            for user in users { state.hints[user] = EventLoop.preciseNow }
        }
    }

    private func become(live isLive: Bool) {
        state.withLock { state in
            state.liveSince = isLive ? EventLoop.preciseNow : nil
            state.hints.removeAll()
        }
    }
}
