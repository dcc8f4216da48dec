import Wire

/// The position of an export in the part that goes room by room.
struct ExportCursor: Sendable, Equatable {
    /// The sections of a room, in their order.
    enum Part: String, Sendable, CaseIterable {
        case messages
        case versions = "earlierTexts"
        case files
    }

    let room: RoomID
    var part = Part.messages
    /// The key after which it goes on; empty at the start.
    var key = ""

    static let prefix = "rooms:"

    /// The cursor as a client names it, such as `rooms:channel-7:messages:12`.
    var text: String { "\(Self.prefix)\(room):\(part.rawValue):\(key)" }

    init(room: RoomID, part: Part = .messages, key: String = "") {
        self.room = room
        self.part = part
        self.key = key
    }

    /// Reads a cursor; nil if it is none.
    init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 4, let room = RoomID(parts[1]), let part = Part(rawValue: parts[2]) else { return nil }
        self.init(room: room, part: part, key: parts[3])
    }

    /// The start of the next part, or of the next room; nil at the end.
    func following(among rooms: [RoomID]) -> ExportCursor? {
        let index = Part.allCases.firstIndex(of: part) ?? 0
        if index + 1 < Part.allCases.count { return ExportCursor(room: room, part: Part.allCases[index + 1]) }
        return rooms.first { room.isBefore($0) }.map { ExportCursor(room: $0) }
    }
}

extension RoomID {
    /// Whether the room comes before another one in an export.
    func isBefore(_ other: RoomID) -> Bool {
        (kind.rawValue, rawValue) < (other.kind.rawValue, other.rawValue)
    }
}
