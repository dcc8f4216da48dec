import Wire

/// The messages and changes that are not in the search index yet.
struct SearchBacklog: Sendable {
    /// Rooms to index, the most recently used first; not all of them if there are many.
    var rooms: [RoomKey] = []
    /// All rooms of the backlog.
    var roomCount: Int64 = 0
    /// Messages and changes of all rooms.
    var messageCount: Int64 = 0
    /// The workspaces that were read; nil for all. Others are out of reach.
    var workspaces: Set<WorkspaceID>?

    /// So many messages are only missing after a loss of the index, a change of its form or a long stop.
    private static let rebuild: Int64 = 10_000

    /// Whether the index is being made anew.
    var isRebuild: Bool { messageCount >= Self.rebuild }

    /// Whether more rooms are behind than `rooms` has.
    var hasMore: Bool { roomCount > Int64(rooms.count) }
}
