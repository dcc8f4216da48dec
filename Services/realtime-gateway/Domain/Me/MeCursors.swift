import Contract
import Wire

/// How far a client has its rooms, as it tells with its join: `{"<room>": [seq, rev]}`.
struct MeCursors: Equatable, Sendable {
    private(set) var heads: [RoomID: RoomHead] = [:]

    init() {}

    /// Nil if the value is malformed.
    init?(_ json: JSONValue) {
        guard let members = json.members else { return nil }
        for (name, value) in members {
            guard let room = RoomID(name), let numbers = value.array(\.int), numbers.count == 2,
                numbers.allSatisfy({ $0 >= 0 })
            else { return nil }
            heads[room] = RoomHead(seq: Int64(numbers[0]), rev: Int64(numbers[1]))
        }
    }

    /// The cursors of other rooms.
    func leaving(out rooms: [RoomID]) -> MeCursors {
        var others = self
        for room in rooms { others.heads[room] = nil }
        return others
    }

    subscript(room: RoomID) -> RoomHead? { heads[room] }
}
