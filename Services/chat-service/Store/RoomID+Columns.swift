import Postgres
import Wire

extension RoomID {
    /// The kind as the tables store it.
    var kindNumber: Int16 { Int16(kind.rawValue) }
}

extension Row {
    /// Reads the columns kind, id.
    mutating func nextRoom() throws(PostgresError) -> RoomID {
        let kind: Int16 = try next()
        let id: Int64 = try next()
        return RoomID(kind: kind == RoomID.Kind.dm.rawValue ? .dm : .channel, rawValue: id)
    }

    /// Reads the columns kind, room, seq.
    mutating func nextMessageKey() throws(PostgresError) -> MessageKey {
        MessageKey(room: try nextRoom(), seq: try next())
    }
}
