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
    private let workspaces: WorkspaceClient
    private let state: Mutex<AccessCacheState>
    private let lifetime: UInt64

    /// - Parameter capacity: pairs of user and channel kept at most, about 200 bytes each.
    public init(workspaces: WorkspaceClient, capacity: Int = 200_000, lifetime: Duration = .seconds(60)) {
        self.workspaces = workspaces
        state = Mutex(AccessCacheState(capacity: capacity))
        self.lifetime = lifetime.wholeNanoseconds
    }

    /// Whether hints arrive. While they do not, access that was read earlier may be outdated.
    public var isLive: Bool { state.withLock(\.isLive) }

    /// The user's access to the channel; nil if they cannot see it.
    public func access(of user: UserID, to channel: ChannelID) async throws -> ChannelAccess? {
        let oldest = CacheAge.oldest(lifetime)
        if let known = state.withLock({ $0.access(of: user, to: channel, oldest: oldest) }) { return known }
        let fetchedAt = EventLoop.preciseNow
        guard let access = try await workspaces.access(of: user, channels: [channel]).channels.first else { return nil }
        keep(access, of: user, askedAt: fetchedAt)
        return access
    }

    /// Stores access from another call, such as the reply to a join.
    ///
    /// - Parameter askedAt: the time before the call, in monotonic nanoseconds.
    public func keep(_ access: ChannelAccess, of user: UserID, askedAt fetchedAt: UInt64) {
        state.withLock { $0.keep(access, of: user, fetchedAt: fetchedAt) }
    }

    /// Follows hints for as long as `subscriber` lives; call it on `loop`.
    public func follow(_ subscriber: MessageSubscriber, on loop: EventLoop) -> RedisSubscription {
        subscriber.listen(to: AccessHint.self, on: loop) { [weak self] event in
            switch event {
            case .message(let hint): self?.state.withLock { $0.invalidate(hint, now: EventLoop.preciseNow) }
            case .confirmed, .gap: self?.become(live: true)
            case .lost: self?.become(live: false)
            }
        }
    }

    private func become(live isLive: Bool) {
        state.withLock { $0.become(live: isLive, now: EventLoop.preciseNow) }
    }
}
