import Contract
import Wire

/// A room as one user's home screen shows it.
struct RoomSummary: Sendable {
    let state: RoomState
    /// The name of a channel; nil for a DM.
    let name: String?
    /// The other member of a DM; nil for a channel.
    let opponent: MemberView?
    let lastMessage: MessageBody?
    /// Whether the content of the last message was cut.
    let isShortened: Bool
    /// The user's level and drafts of the room; nil for clients that do not show them.
    var own: OwnRoomState?
    /// The room's workspace, for lists of rooms of all workspaces; nil in the list of one.
    var workspace: WorkspaceID?

    /// Unicode scalars of the content that a summary shows. Home screens list hundreds of rooms, whose messages can each
    /// have 10,000 characters.
    static let maxContent = 1000

    /// The content up to a number of scalars, without a partial character at its end; nil if it is short enough.
    static func shortened(_ content: String, to scalars: Int = maxContent) -> String? {
        guard content.utf8.count > scalars, content.unicodeScalars.count > scalars else { return nil }
        var (end, length) = (content.startIndex, 0)
        while end < content.endIndex {
            length += content[end].unicodeScalars.count
            if length > scalars { break }
            end = content.index(after: end)
        }
        return String(content[..<end])
    }
}

/// A user's own state of a room: the level of its pushes, and drafts.
struct OwnRoomState: Sendable {
    var notify = RoomNotify()
    /// That of the room itself first.
    var drafts: [Draft] = []
    /// Whether some of the drafts are left out of `drafts`.
    var omitsDrafts = false
}

extension Dictionary where Key == RoomID, Value == OwnRoomState {
    /// Leaves out the oldest drafts where the contents of all have more than `most` bytes.
    mutating func omitDrafts(beyond most: Int) {
        let all: [(room: RoomID, draft: Draft)] = flatMap { room, state in
            state.drafts.map { (room: room, draft: $0) }
        }
        let newestFirst = all.sorted { first, second in
            (first.draft.updatedAt.milliseconds, first.draft.thread ?? .max)
                > (second.draft.updatedAt.milliseconds, second.draft.thread ?? .max)
        }
        var left = most
        for (room, draft) in newestFirst {
            left -= draft.content.utf8.count
            guard left < 0 else { continue }
            self[room]?.drafts.removeAll { $0 == draft }
            self[room]?.omitsDrafts = true
        }
    }
}

/// A room's counters and newest message for one user, as the tables have them.
struct RoomState: Sendable {
    let room: RoomID
    let head: RoomHead
    /// The seq up to which the user has read the room.
    let readMarker: Int64
    /// Messages by others after the read marker.
    let unread: Int64
    /// Those among them that mention the user; 0 for clients that do not show it.
    let mentions: Int64
    let last: StoredMessage?
}
