import Contract
import Wire

/// The contents of an `AccessCache`: access with the time of its fetch, and the times of the hints since. Times are monotonic
/// nanoseconds, given by the caller.
struct AccessCacheState {
    private struct Key: Hashable {
        let user: UserID
        let channel: ChannelID
    }

    /// The users of a hint: their access in a workspace is invalid.
    private struct Scope: Hashable {
        let workspace: WorkspaceID
        /// Nil for all users.
        let user: UserID?
    }

    private struct Entry {
        let access: ChannelAccess
        let fetchedAt: UInt64
    }

    private var entries: [Key: Entry] = [:]
    /// The time of the last hint about each scope; entries fetched before it are invalid.
    private var hints: [Scope: UInt64] = [:]
    /// Entries fetched before this time are invalid, because hints may have been lost since.
    private var validFrom: UInt64 = 0
    /// Whether hints arrive. While they do not, nothing is kept.
    private(set) var isLive = false
    private let capacity: Int

    init(capacity: Int) { self.capacity = capacity }

    /// The access of a user, unless it is older than `oldest` or than the last hint about it.
    func access(of user: UserID, to channel: ChannelID, oldest: UInt64) -> ChannelAccess? {
        guard isLive, let entry = entries[Key(user: user, channel: channel)] else { return nil }
        guard entry.fetchedAt >= max(oldest, validFrom) else { return nil }
        let workspace = entry.access.workspace
        let allUsers = hints[Scope(workspace: workspace, user: nil)] ?? 0
        let oneUser = hints[Scope(workspace: workspace, user: user)] ?? 0
        return entry.fetchedAt > max(allUsers, oneUser) ? entry.access : nil
    }

    mutating func keep(_ access: ChannelAccess, of user: UserID, fetchedAt: UInt64) {
        guard isLive else { return }
        if entries.count >= capacity { entries.removeAll(keepingCapacity: true) }
        entries[Key(user: user, channel: access.id)] = Entry(access: access, fetchedAt: fetchedAt)
    }

    mutating func invalidate(_ hint: AccessHint, now: UInt64) {
        // Invalidating everything is always correct, and keeps the number of hints bounded.
        if hints.count >= capacity { invalidateAll(now: now) }
        hints[Scope(workspace: hint.workspace, user: hint.user)] = now
    }

    /// Notes that hints arrive from now on, perhaps after a gap, or do not arrive.
    mutating func become(live isLive: Bool, now: UInt64) {
        self.isLive = isLive
        invalidateAll(now: now)
    }

    private mutating func invalidateAll(now: UInt64) {
        entries.removeAll()
        hints.removeAll()
        validFrom = now
    }
}
