import Contract
import Search
import Wire

/// A search, after names in it have been resolved to members, rooms and moments.
struct SearchRequest: Sendable {
    enum Order: String, Sendable {
        /// Newest first.
        case recent
        /// Exact phrases and beginnings of words first, then newer messages.
        case best
    }

    /// Conditions beside the text.
    struct Filters: Sendable {
        var authors: [UserID]?
        /// Nil for every room of the caller.
        var rooms: Set<RoomID>?
        var traits: SearchEntry.Traits = []
        var after: Timestamp?
        var before: Timestamp?
    }

    let workspace: WorkspaceID
    let query: SearchQuery
    var filters = Filters()
    let order: Order
    let cursor: SearchCursor?
    let limit: Int

    static let maxLength = 200
}

/// The last message of a page; the next page begins after it.
struct SearchCursor: Sendable, Hashable {
    let createdAt: Timestamp
    let room: RoomID
    let seq: Int64

    /// Precedes every message, because results begin with the newest.
    static let newest = SearchCursor(createdAt: .latest, room: RoomID(kind: .dm, rawValue: .max), seq: .max)

    init(createdAt: Timestamp, room: RoomID, seq: Int64) {
        self.createdAt = createdAt
        self.room = room
        self.seq = seq
    }

    init(_ message: StoredMessage) {
        self.init(createdAt: message.createdAt, room: message.room, seq: message.seq)
    }

    /// Reads the form of `text`; nil for any other text.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let moment = Int64(parts[0]), let room = RoomID(String(parts[1])),
            let seq = Int64(parts[2])
        else { return nil }
        self.init(createdAt: Timestamp(milliseconds: moment), room: room, seq: seq)
    }

    /// The form that clients hand back: `<milliseconds>.<room>.<seq>`.
    var text: String { "\(createdAt.milliseconds).\(room).\(seq)" }
}
