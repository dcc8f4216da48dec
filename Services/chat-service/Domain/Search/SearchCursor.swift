import Wire

/// The place of a message in the results of a search, which begin with the newest.
struct SearchCursor: Sendable, Hashable {
    let createdAt: Timestamp
    let room: RoomID
    let seq: Int64

    /// Precedes every message.
    static let newest = SearchCursor(createdAt: .latest, room: RoomID(kind: .dm, rawValue: .max), seq: .max)

    /// Precedes the messages before a moment, and follows all others.
    static func before(_ moment: Timestamp) -> SearchCursor {
        SearchCursor(createdAt: moment, room: RoomID(kind: .channel, rawValue: 0), seq: 0)
    }

    init(createdAt: Timestamp, room: RoomID, seq: Int64) {
        self.createdAt = createdAt
        self.room = room
        self.seq = seq
    }

    init(_ message: StoredMessage) {
        self.init(createdAt: message.createdAt, room: message.room, seq: message.seq)
    }

    /// The place directly before the message, so that results after it begin with the message.
    var justBefore: SearchCursor { SearchCursor(createdAt: createdAt, room: room, seq: seq + 1) }
}

/// The beginning of a page of results.
struct SearchPageStart: Sendable, Hashable {
    /// The page has messages after this one.
    let cursor: SearchCursor
    /// The number of ranked messages after the cursor that earlier pages have shown; 0 unless `best` orders them.
    let shown: Int

    init(cursor: SearchCursor, shown: Int = 0) {
        self.cursor = cursor
        self.shown = shown
    }

    /// Reads the form of `text`; nil for any other text.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 || parts.count == 4, let moment = Int64(parts[0]), let room = RoomID(String(parts[1])),
            let seq = Int64(parts[2]), let shown = parts.count == 4 ? Int(parts[3]) : 0,
            (0...MessageSearch.ranked).contains(shown)
        else { return nil }
        cursor = SearchCursor(createdAt: Timestamp(milliseconds: moment), room: room, seq: seq)
        self.shown = shown
    }

    /// The form that clients hand back: `<milliseconds>.<room>.<seq>`, with `.<shown>` unless that is 0.
    var text: String {
        "\(cursor.createdAt.milliseconds).\(cursor.room).\(cursor.seq)" + (shown == 0 ? "" : ".\(shown)")
    }
}
