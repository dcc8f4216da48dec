public import Contract
public import EventLoop
public import Redis
internal import Synchronization
public import Wire

/// The access of users to channels, fetched from workspace-service and kept while hints of changes arrive.
///
/// A hint invalidates the access of one user in a workspace or of all its users. While no hints arrive nothing is
/// cached, and each read is a call.
public final class AccessCache: Sendable {
    fileprivate struct CacheKey: Hashable {
        let user: UserID
        let channel: ChannelID
    }

    /// The scope of a hint: the access of these users is invalid.
    fileprivate struct Scope: Hashable {
        let workspace: WorkspaceID
        /// Nil for all users.
        let user: UserID?
    }

    fileprivate struct Entry {
        let access: ChannelAccess
        let fetchedAt: UInt64
    }

    fileprivate struct State {
        var entries: [CacheKey: Entry] = [:]
        /// The time of the last hint about each scope; entries fetched before it are invalid.
        var hints: [Scope: UInt64] = [:]
        var isLive = false
        /// Entries fetched before this time are invalid, because hints may have been lost since.
        var validFrom: UInt64 = 0
    }

    private let workspaces: WorkspaceClient
    private let state = Mutex(State())
    private let capacity: Int
    private let lifetime: UInt64

    /// - Parameter capacity: pairs of user and channel kept at most, about 200 bytes each.
    public init(workspaces: WorkspaceClient, capacity: Int = 200_000, lifetime: Duration = .seconds(60)) {
        self.workspaces = workspaces
        self.capacity = capacity
        self.lifetime = lifetime.wholeNanoseconds
    }

    /// Whether hints arrive. While they do not, access that was read earlier may be outdated.
    public var isLive: Bool { state.withLock(\.isLive) }

    /// The user's access to the channel; nil if they cannot see it.
    public func access(of user: UserID, to channel: ChannelID) async throws -> ChannelAccess? {
        let key = CacheKey(user: user, channel: channel)
        if let known = state.withLock({ $0.entry(key, oldest: EventLoop.preciseNow &- lifetime) }) { return known }
        let fetchedAt = EventLoop.preciseNow
        guard let access = try await workspaces.access(of: user, channels: [channel]).channels.first else { return nil }
        keep(access, key, fetchedAt)
        return access
    }

    /// Stores access from another call, such as the reply to a join.
    ///
    /// - Parameter askedAt: the time before the call, in monotonic nanoseconds.
    public func keep(_ access: ChannelAccess, of user: UserID, askedAt fetchedAt: UInt64) {
        keep(access, CacheKey(user: user, channel: access.id), fetchedAt)
    }

    private func keep(_ access: ChannelAccess, _ key: CacheKey, _ fetchedAt: UInt64) {
        state.withLock { state in
            guard state.isLive else { return }
            if state.entries.count >= capacity { state.entries.removeAll(keepingCapacity: true) }
            state.entries[key] = Entry(access: access, fetchedAt: fetchedAt)
        }
    }

    /// Follows hints for as long as `subscriber` lives; call it on `loop`.
    public func follow(_ subscriber: MessageSubscriber, on loop: EventLoop) -> RedisSubscription {
        subscriber.listen(to: AccessHint.self, on: loop) { [weak self] event in
            switch event {
            case .message(let hint): self?.invalidate(hint)
            case .confirmed, .gap: self?.become(live: true)
            case .lost: self?.become(live: false)
            }
        }
    }

    private func invalidate(_ hint: AccessHint) {
        let scope = Scope(workspace: hint.workspace, user: hint.user)
        state.withLock { state in
            // Invalidating everything is always correct, and keeps the number of hints bounded.
            if state.hints.count >= capacity { state.removeAll() }
            state.hints[scope] = EventLoop.preciseNow
        }
    }

    private func become(live isLive: Bool) {
        state.withLock { state in
            state.isLive = isLive
            state.removeAll()
        }
    }
}

extension AccessCache.State {
    fileprivate func entry(_ key: AccessCache.CacheKey, oldest: UInt64) -> ChannelAccess? {
        guard isLive, let entry = entries[key], entry.fetchedAt >= max(oldest, validFrom) else { return nil }
        let workspace = entry.access.workspace
        let allUsers = hints[AccessCache.Scope(workspace: workspace, user: nil)] ?? 0
        let oneUser = hints[AccessCache.Scope(workspace: workspace, user: key.user)] ?? 0
        return entry.fetchedAt > max(allUsers, oneUser) ? entry.access : nil
    }

    fileprivate mutating func removeAll() {
        entries.removeAll()
        hints.removeAll()
        validFrom = EventLoop.preciseNow
    }
}
