import Contract
import Wire

/// The contents of an `AccessCache`: access with the time of its fetch, and the times of the hints since. Times are monotonic
/// nanoseconds, given by the caller.
struct AccessCacheState {
    private struct Key: Hashable {
        let user: UserID
        let channel: ChannelID
    }

    private struct Entry {
        let access: ChannelAccess
        let fetchedAt: UInt64
    }

    private var entries: [Key: Entry] = [:]
    private var hints: AccessHintTimes
    private let capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
        hints = AccessHintTimes(capacity: capacity)
    }

    /// Whether hints arrive. While they do not, nothing is kept.
    var isLive: Bool { hints.isLive }

    /// The access of a user, unless it is older than `oldest` or than the last hint about it.
    func access(of user: UserID, to channel: ChannelID, oldest: UInt64) -> ChannelAccess? {
        guard let entry = entries[Key(user: user, channel: channel)] else { return nil }
        let workspace = entry.access.workspace
        return hints.allow(fetchedAt: entry.fetchedAt, [user], in: workspace, oldest: oldest) ? entry.access : nil
    }

    mutating func keep(_ access: ChannelAccess, of user: UserID, fetchedAt: UInt64) {
        guard isLive else { return }
        if entries.count >= capacity { entries.removeAll(keepingCapacity: true) }
        entries[Key(user: user, channel: access.id)] = Entry(access: access, fetchedAt: fetchedAt)
    }

    mutating func invalidate(_ hint: AccessHint, now: UInt64) { hints.note(hint, now: now) }

    mutating func become(live isLive: Bool, now: UInt64) {
        entries.removeAll()
        hints.become(live: isLive, now: now)
    }
}
