public import Contract
public import Wire

/// The times of the hints about access, and which cached answers count in spite of them. Times are monotonic nanoseconds, given by
/// the caller.
public struct AccessHintTimes: Sendable {
    /// The users of a hint: their access in a workspace is invalid.
    private struct Scope: Hashable {
        let workspace: WorkspaceID
        /// Nil for all users.
        let user: UserID?
    }

    /// The time of the last hint about each scope; answers fetched before it are invalid.
    private var hints: [Scope: UInt64] = [:]
    /// Answers fetched before this time are invalid, because hints may have been lost since.
    private var validFrom: UInt64 = 0
    /// Whether hints arrive. While they do not, nothing counts.
    public private(set) var isLive = false
    private let capacity: Int

    /// - Parameter capacity: the most hints that are kept apart.
    public init(capacity: Int) { self.capacity = capacity }

    /// Whether an answer about these users counts: it is not older than `oldest`, nor than the last hint about one of them.
    public func allow(fetchedAt: UInt64, _ users: [UserID], in workspace: WorkspaceID, oldest: UInt64) -> Bool {
        guard isLive, fetchedAt >= max(oldest, validFrom) else { return false }
        return ([nil] + users).allSatisfy { fetchedAt > hints[Scope(workspace: workspace, user: $0)] ?? 0 }
    }

    public mutating func note(_ hint: AccessHint, now: UInt64) {
        // Invalidating everything is always correct, and keeps the number of hints bounded.
        if hints.count >= capacity { invalidateAll(now: now) }
        hints[Scope(workspace: hint.workspace, user: hint.user)] = now
    }

    /// Notes that hints arrive from now on, perhaps after a gap, or do not arrive.
    public mutating func become(live isLive: Bool, now: UInt64) {
        self.isLive = isLive
        invalidateAll(now: now)
    }

    private mutating func invalidateAll(now: UInt64) {
        hints.removeAll()
        validFrom = now
    }
}
