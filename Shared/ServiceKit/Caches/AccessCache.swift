public import Contract
internal import EventLoop
public import Redis
internal import Synchronization
public import Wire

/// What users may see of channels, asked of workspace-service and kept as long as changes can be heard.
///
/// A hint makes it forget what it names: a user in a workspace, or everybody in it. While hints cannot be heard nothing
/// is kept, and each question is asked.
public final class AccessCache: Sendable {
    fileprivate struct Key: Hashable {
        let user: UserID
        let channel: ChannelID
    }

    fileprivate struct Place: Hashable {
        let workspace: WorkspaceID
        /// Nil for everybody.
        let user: UserID?
    }

    fileprivate struct Entry {
        let access: ChannelAccess
        let askedAt: UInt64
    }

    fileprivate struct State {
        var entries: [Key: Entry] = [:]
        /// When the last hint about a place came; answers asked for before it do not count.
        var hints: [Place: UInt64] = [:]
        var isLive = false
        /// Answers asked for before do not count: hints may have been missed.
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

    /// Whether changes can be heard; while they cannot, what is known of anybody's access may be old.
    public var isLive: Bool { state.withLock(\.isLive) }

    /// What the user is to the channel; nil where they do not see it.
    public func access(of user: UserID, to channel: ChannelID) async throws -> ChannelAccess? {
        let key = Key(user: user, channel: channel)
        if let known = state.withLock({ $0.entry(key, oldest: EventLoop.preciseNow &- lifetime) }) { return known }
        let askedAt = EventLoop.preciseNow
        guard let access = try await workspaces.access(of: user, channels: [channel]).channels.first else { return nil }
        keep(access, key, askedAt)
        return access
    }

    /// Keeps an answer that came otherwise, such as that of a join.
    public func keep(_ access: ChannelAccess, of user: UserID, askedAt: UInt64) {
        keep(access, Key(user: user, channel: access.id), askedAt)
    }

    private func keep(_ access: ChannelAccess, _ key: Key, _ askedAt: UInt64) {
        state.withLock { state in
            guard state.isLive else { return }
            if state.entries.count >= capacity { state.entries.removeAll(keepingCapacity: true) }
            state.entries[key] = Entry(access: access, askedAt: askedAt)
        }
    }

    /// Listens to changes for as long as `subscriber` lives; to be called on a loop.
    public func follow(_ subscriber: RedisSubscriber) -> RedisSubscription {
        subscriber.listen(to: HintChannel.access) { [weak self] event in
            switch event {
            case .message(let bytes): self?.changed(bytes)
            case .confirmed, .gap: self?.become(live: true)
            case .lost: self?.become(live: false)
            }
        }
    }

    private func changed(_ hint: [UInt8]) {
        guard let json = try? JSONValue(parsing: hint),
            let workspace = json["workspace_id"]?.string.flatMap(WorkspaceID.init)
        else { return }
        let place = Place(workspace: workspace, user: json["user_id"]?.string.flatMap(UserID.init))
        state.withLock { state in
            // Forgetting all is always right, and keeps the hints bounded.
            if state.hints.count >= capacity { state.forgetAll() }
            state.hints[place] = EventLoop.preciseNow
        }
    }

    private func become(live isLive: Bool) {
        state.withLock { state in
            state.isLive = isLive
            state.forgetAll()
        }
    }
}

extension AccessCache.State {
    fileprivate func entry(_ key: AccessCache.Key, oldest: UInt64) -> ChannelAccess? {
        guard isLive, let entry = entries[key], entry.askedAt >= max(oldest, validFrom) else { return nil }
        let workspace = entry.access.workspace
        let everybody = hints[AccessCache.Place(workspace: workspace, user: nil)] ?? 0
        let one = hints[AccessCache.Place(workspace: workspace, user: key.user)] ?? 0
        return entry.askedAt > max(everybody, one) ? entry.access : nil
    }

    fileprivate mutating func forgetAll() {
        entries.removeAll()
        hints.removeAll()
        validFrom = EventLoop.preciseNow
    }
}
