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
        // The least room, and a seq that no message has: a client can hand the place back.
        SearchCursor(createdAt: moment, room: RoomID(kind: .channel, rawValue: 1), seq: 0)
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

    /// Whether the message comes after another one, because it is older.
    func isAfter(_ other: SearchCursor) -> Bool { order < other.order }

    /// Messages of one millisecond are ordered by their rooms, as by the index.
    private var order: (Int64, UInt8, Int64, Int64) {
        (createdAt.milliseconds, room.kind == .dm ? 2 : 1, room.rawValue, seq)
    }
}

extension SearchCursor {
    /// Reads `<milliseconds>.<room>.<seq>`; nil for any other text.
    init?(_ parts: ArraySlice<Substring>) {
        let parts = Array(parts)
        // The months around a moment that no text has could not be counted.
        guard parts.count == 3, let moment = Int64(parts[0]),
            (Timestamp.earliest.milliseconds...Timestamp.latest.milliseconds).contains(moment),
            let room = RoomID(String(parts[1])), let seq = Int64(parts[2]), (0..<Int64.max).contains(seq)
        else { return nil }
        self.init(createdAt: Timestamp(milliseconds: moment), room: room, seq: seq)
    }

    var text: String { "\(createdAt.milliseconds).\(room).\(seq)" }
}
